import GatewayCore
import Glibc
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingSession
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite(
    "The addresses of an upstream", .timeLimit(.minutes(1)),
    .enabled(if: DNSServer.isInstalled, "\(DNSServer.isMissing)"))
struct AddressTests {
    @Test("An address that answers 500 fails three calls and is ejected; after that no call fails")
    func failing() throws {
        let peers = try AddressPeers(.answers, .fails, .answers)
        let messages = try AddressGateway.serve(peers, policy: AddressGateway.forLong) {
            server, client, _ in
            try spin(
                while: { () -> Bool in
                    _ = client.get("/page")
                    return AddressGateway.states(server, peers)[1] != .ejected
                }()
            ) { "\(AddressGateway.states(server, peers)), requests \(peers.asked)" }
            #expect(peers.asked[1] == 3)
            #expect(AddressGateway.counts(server) == [2, 1, 0])
            #expect(server.metric(#"upstream_ejections_total{upstream="parts"}"#) == 1)
            #expect(AddressGateway.statuses(client, 100).allSatisfy { $0 == 200 })
            #expect(peers.asked[1] == 3)
        }
        #expect(messages == ["address ejected"])
    }

    @Test("One that is silent is ejected after three attempts that ran out of time")
    func silent() throws {
        let peers = try AddressPeers(.answers, .isSilent)
        let messages = try AddressGateway.serve(
            peers, firstByte: .milliseconds(50), policy: AddressGateway.forLong
        ) {
            server, client, _ in
            try spin(
                while: { () -> Bool in
                    _ = client.get("/page")
                    return AddressGateway.states(server, peers)[1] != .ejected
                }()
            ) { "\(AddressGateway.states(server, peers)), requests \(peers.asked)" }
            #expect(AddressGateway.statuses(client, 100).allSatisfy { $0 == 200 })
        }
        #expect(messages == ["address ejected"])
    }

    @Test("A GET that one address refuses goes to another one, even without a retry budget, and never fails")
    func refusing() throws {
        let peers = try AddressPeers(.answers, .refuses, .answers)
        let messages = try AddressGateway.serve(
            peers, retry: CallRetryPolicy(), budget: RetryBudget(floor: 0, percentage: 0)
        ) { server, client, _ in
            #expect(AddressGateway.statuses(client, 200).allSatisfy { $0 == 200 })
        }
        #expect(messages.first == "address ejected")
    }

    @Test("A POST that one address refuses goes to another one without any retries, and is sent once")
    func refusedPost() throws {
        let peers = try AddressPeers(.answers, .refuses, .answers)
        _ = try AddressGateway.serve(peers, policy: { $0.ejection = nil }) { _, client, _ in
            for _ in 0..<100 {
                client.send("POST /page HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n")
                let status = try client.reply().status
                #expect(status == 200)
            }
        }
        #expect(peers.asked[0] + peers.asked[2] == 100)
    }

    @Test("An address without a route fails no call, and is ejected")
    func unroutable() throws {
        let peers = try AddressPeers(.answers)
        // No stream can be connected to the broadcast address of a network.
        let messages = try AddressGateway.serve(
            peers, addresses: ["127.0.0.1", "127.255.255.255"], policy: AddressGateway.forLong
        ) {
            _, client, _ in
            #expect(AddressGateway.statuses(client, 100).allSatisfy { $0 == 200 })
        }
        #expect(messages == ["address ejected"])
    }

    @Test("With two of three addresses refusing, no GET fails and the circuit stays closed")
    func lastOne() throws {
        let peers = try AddressPeers(.refuses, .answers, .refuses)
        _ = try AddressGateway.serve(peers, retry: CallRetryPolicy()) {
            $0.breaker = CircuitBreakerPolicy()
            AddressGateway.forLong(&$0)
        } _: { server, client, _ in
            #expect(AddressGateway.statuses(client, 300).allSatisfy { $0 == 200 })
            #expect(server.settled.upstreams["parts"]?.circuit == .closed)
            #expect(server.settled.upstreams["parts"]?.openings == 0)
        }
    }

    @Test("All addresses of an upstream together get its share of the waiting calls")
    func waiting() throws {
        let peers = try AddressPeers(.isSilent, .isSilent, .isSilent)
        _ = try AddressGateway.serve(
            peers, policy: { $0.ejection = nil },
            configure: {
                $0.outbound.connectionsPerUpstream = 1
                $0.outbound.waitingCalls = 8
                $0.outbound.waitTimeout = .seconds(300)
            }
        ) { server, _, _ in
            let clients = try (0..<20).map { _ in
                let client = try RawClient(port: server.port)
                client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
                return client
            }
            // Three are on a connection and four wait, which is half of the places.
            try spin(while: server.settled.requests != 7) {
                "\(server.settled.requests) requests instead of 7, \(server.settled.refusedRequests) refused; \(server.settled.calls)"
            }
            for client in clients { client.reset() }
        }
    }

    @Test("With the second address refusing as well, the budget decides")
    func twoRefusing() throws {
        let peers = try AddressPeers(.refuses, .refuses, .refuses)
        _ = try AddressGateway.serve(
            peers, retry: CallRetryPolicy(), budget: RetryBudget(floor: 0, percentage: 0),
            policy: { $0.ejection = nil }
        ) { server, client, _ in
            let reply = try #require(client.get("/page"))
            #expect(reply.status == 502)
            #expect(reply.text.contains(#""attempts":2,"notRetried":"budget""#), "\(reply.text)")
        }
    }

    @Test("At most half of the addresses are ejected, and the others go on getting calls")
    func share() throws {
        let peers = try AddressPeers(.fails, .fails, .fails, .fails)
        let messages = try AddressGateway.serve(peers, policy: AddressGateway.forLong) {
            server, client, _ in
            #expect(AddressGateway.statuses(client, 100).allSatisfy { $0 == 502 })
            #expect(AddressGateway.states(server, peers).count { $0 == .ejected } == 2)
            #expect(peers.asked.count { $0 > 10 } == 2, "\(peers.asked)")
        }
        #expect(messages == ["address ejected", "address ejected"])
    }

    @Test("After its time it is tried again: one failure ejects it again, a success brings it back")
    func returns() throws {
        let peers = try AddressPeers(.answers, .fails)
        let messages = try AddressGateway.serve(peers) {
            $0.slowStart = nil
        } _: { server, client, _ in
            func ask(while condition: () -> Bool) throws {
                try spin(
                    while: {
                        _ = client.get("/page")
                        return condition()
                    }()
                ) { "\(AddressGateway.states(server, peers)), requests \(peers.asked)" }
            }
            try ask { peers.asked[1] < 3 }
            #expect(AddressGateway.states(server, peers)[1] == .ejected)
            try ask { peers.asked[1] < 4 }
            #expect(AddressGateway.states(server, peers)[1] == .ejected)
            peers.change(1, to: .answers)
            try ask { peers.asked[1] < 20 }
        }
        #expect(messages == ["address ejected", "address ejected", "address is back"])
    }

    @Test("All loops count the same failures")
    func loops() throws {
        let peers = try AddressPeers(.answers, .fails)
        let messages = try AddressGateway.serve(peers, loops: 4, policy: AddressGateway.forLong) {
            server, _, _ in
            let clients = try (0..<16).map { _ in try RawClient(port: server.port) }
            try spin(
                while: { () -> Bool in
                    for client in clients { _ = client.get("/page") }
                    return AddressGateway.states(server, peers)[1] != .ejected
                }()
            ) { "\(AddressGateway.states(server, peers)), requests \(peers.asked)" }
            let before = peers.asked[1]
            for client in clients { #expect(AddressGateway.statuses(client, 10).allSatisfy { $0 == 200 }) }
            #expect(peers.asked[1] == before)
        }
        #expect(messages == ["address ejected"])
    }

    @Test("Calls are spread evenly")
    func spread() throws {
        let peers = try AddressPeers(.answers, .answers, .answers)
        _ = try AddressGateway.serve(peers) { _, client, _ in
            #expect(AddressGateway.statuses(client, 600).allSatisfy { $0 == 200 })
        }
        #expect(peers.asked.allSatisfy { (140...260).contains($0) }, "\(peers.asked)")
    }

    @Test("An address whose checks fail gets no calls until they pass again")
    func checks() throws {
        let peers = try AddressPeers(.answers, .fails)
        let messages = try AddressGateway.serve(peers) {
            var checks = HealthCheckPolicy(path: "/health")
            checks.interval = .milliseconds(100)
            $0.health = checks
            $0.ejection = nil
            $0.slowStart = nil
        } _: { server, client, _ in
            try spin(while: AddressGateway.states(server, peers)[1] != .unhealthy) {
                "\(AddressGateway.states(server, peers)), checks \(peers.checks)"
            }
            let before = peers.asked[1]
            #expect(AddressGateway.counts(server) == [1, 0, 1])
            func checks(_ result: String) -> Double {
                server.metric(#"upstream_health_checks_total{upstream="parts",result="\#(result)"}"#) ?? 0
            }
            #expect(checks("failure") >= 1)
            let failures = Double(peers.checks[1])
            try spin(while: checks("success") < 1 || checks("failure") < failures) {
                "\(checks("success")) checks passed and \(checks("failure")) failed of \(peers.checks)"
            }
            #expect(server.metric(#"upstream_ejections_total{upstream="parts"}"#) == nil)
            #expect(AddressGateway.statuses(client, 50).allSatisfy { $0 == 200 })
            #expect(peers.asked[1] == before)
            peers.change(1, to: .answers)
            try spin(while: AddressGateway.states(server, peers)[1] != .inService) {
                "\(AddressGateway.states(server, peers)), checks \(peers.checks)"
            }
            #expect(AddressGateway.counts(server) == [2, 0, 0])
            #expect(AddressGateway.statuses(client, 50).allSatisfy { $0 == 200 })
            #expect(peers.asked[1] > before)
        }
        #expect(messages == ["address unhealthy", "address healthy"])
    }

    @Test("If the checks of all addresses fail, all are used")
    func allUnhealthy() throws {
        let peers = try AddressPeers(.fails, .fails)
        _ = try AddressGateway.serve(peers) {
            var checks = HealthCheckPolicy(path: "/health")
            checks.interval = .milliseconds(100)
            $0.health = checks
            $0.ejection = nil
        } _: { server, client, _ in
            try spin(while: AddressGateway.states(server, peers) != [.unhealthy, .unhealthy]) {
                "\(AddressGateway.states(server, peers)), checks \(peers.checks)"
            }
            let before = peers.asked
            _ = AddressGateway.statuses(client, 50)
            #expect(zip(peers.asked, before).allSatisfy { $0 > $1 + 10 })
        }
    }

    @Test("The addresses are checked by one of four loops")
    func oneChecks() throws {
        let peers = try AddressPeers(.answers, .answers)
        _ = try AddressGateway.serve(peers, loops: 4) {
            var checks = HealthCheckPolicy(path: "/health")
            checks.interval = .seconds(3600)
            $0.health = checks
        } _: { server, _, _ in
            for _ in 0..<16 { _ = try RawClient(port: server.port).get("/page") }
            try spin(while: peers.checks.contains(0)) { "checks \(peers.checks)" }
        }
        // One of them may have been checked before the addresses were known.
        #expect(peers.checks[0] + peers.checks[1] <= 3, "\(peers.checks)")
    }

    @Test("A vanished address gets no more calls and loses its idle connections, an added one gets calls")
    func changes() throws {
        let peers = try AddressPeers(.answers, .answers, .answers)
        _ = try AddressGateway.serve(peers, addresses: ["127.0.0.1", "127.0.0.2"]) { server, client, dns in
            try spin(
                while: { () -> Bool in
                    _ = client.get("/page")
                    return peers.asked[..<2].contains(0)
                }()
            ) { "requests \(peers.asked)" }
            // One connection of the first address is in use, and one is idle.
            peers.change(0, to: .waits)
            var waiting: [RawClient] = []
            let before = peers.asked[0]
            try spin(
                while: try {
                    guard peers.asked[0] == before else { return false }
                    let client = try RawClient(port: server.port)
                    client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
                    waiting.append(client)
                    _ = client.end(within: 20)
                    return true
                }()
            ) { "requests \(peers.asked), \(waiting.count) clients" }
            try dns.know(["parts.test": DNSServer.Name(["127.0.0.2", "127.0.0.3"], timeToLive: 0)])
            try spin(while: AddressGateway.states(server, peers)[2] == nil) {
                "\(AddressGateway.states(server, peers))"
            }
            #expect(AddressGateway.states(server, peers)[0] == nil)
            let asked = peers.asked
            #expect(AddressGateway.statuses(client, 50).allSatisfy { $0 == 200 })
            // The added one is in its slow start.
            try spin(
                while: { () -> Bool in
                    _ = client.get("/page")
                    return peers.asked[2] == asked[2]
                }()
            ) { "\(AddressGateway.states(server, peers)), requests \(peers.asked)" }
            #expect(peers.asked[0] == asked[0])
            for _ in waiting { peers.released.fire() }
            for client in waiting { #expect(try client.reply().status == 200) }
            try spin(while: peers.openConnections(of: 0) > 0) {
                "\(peers.openConnections(of: 0)) open connections"
            }
        }
    }

    @Test(
        "A name whose addresses vanish fails with dns_error, and works again once it has some",
        arguments: [["127.0.0.1", "127.0.0.2"], ["127.0.0.1"]])
    func vanished(addresses: [String]) throws {
        let peers = try AddressPeers(.answers, .answers)
        _ = try AddressGateway.serve(
            peers, addresses: addresses, configure: { $0.dns.limits.negativeAge = .milliseconds(200) }
        ) { server, client, dns in
            #expect(AddressGateway.statuses(client, 10).allSatisfy { $0 == 200 })
            try dns.know(["parts.test": DNSServer.Name(fault: .nxdomain)])
            var reply: RawClient.Reply?
            try spin(
                while: {
                    reply = client.get("/page")
                    return reply?.status == 200
                }()
            ) { "still \(reply?.text ?? "no answer"), queries \(dns.queries.suffix(10))" }
            #expect(reply?.text.contains(#""reason":"dns_error""#) == true, "\(reply?.text ?? "")")
            try dns.know(["parts.test": DNSServer.Name(["127.0.0.2"], timeToLive: 0)])
            try spin(while: client.get("/page")?.status != 200) {
                "\(client.get("/page")?.text ?? "no answer")"
            }
        }
    }

    @Test("Where both families have addresses, the race decides, and the others get no calls")
    func families() throws {
        let peers = try AddressPeers(.answers, .answers)
        // Nobody listens at the addresses of IPv6.
        let addresses = ["::1", "127.0.0.1", "127.0.0.2"]
        _ = try AddressGateway.serve(peers, addresses: addresses, expected: 1) { server, client, _ in
            #expect(AddressGateway.statuses(client, 100).allSatisfy { $0 == 200 })
            #expect(peers.asked.allSatisfy { $0 > 10 }, "\(peers.asked)")
            #expect(AddressGateway.states(server, peers) == [.inService, .inService])
        }
    }
}
