import Gateway
import JSONBytes
import Rx
import TestSupport
import Testing

@testable import GatewayServer

/// What a line of the access log is made of, whatever the parts and steps of an endpoint are called.
@Suite("The shape of an access log line")
struct AccessLogShapeTests {
    /// Sends one request, and gives its line.
    private func line(
        _ request: String = "GET /page HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n",
        _ declare: (Gateway) throws -> Void
    ) throws -> JSONFragment {
        let lines = try withLoggedGateway(configure: { _ in }, declare: declare) { server in
            let client = try RawClient(port: server.port)
            client.send(request)
            _ = client.receive()
            _ = client.reachesEnd()
        }
        #expect(lines.count == 1)
        return try #require(lines.first)
    }

    /// Every object's keys, at any depth, each list in its order.
    private func keys(of json: JSONFragment) -> [[String]] {
        let names = json.members.map(\.name)
        let below = json.members.flatMap { keys(of: $0.value) } + json.elements.flatMap { keys(of: $0) }
        return (names.isEmpty ? [] : [names]) + below
    }

    private func expectUniqueKeys(_ json: JSONFragment) {
        for names in keys(of: json) { #expect(Set(names).count == names.count, "\(names)") }
    }

    @Test("A step and a part of one name are told apart, and so are steps of two stages")
    func sameNames() throws {
        let line = try line { gateway in
            gateway.get("/page") { _ in
                .first(total: Single.just(1), user: Single.just(2)).then {
                    Answer.first(total: Single.just(3)).then { .parts(total: Single.just(4), list: 5) }
                }
            }
        }
        expectUniqueKeys(line)
        let steps = try #require(line[member: "steps"]).elements
        #expect(steps.map { $0.members.map(\.name) } == [["total", "user"], ["total"]])
        #expect(line[member: "parts"]?.members.map(\.name) == ["total", "list"])
        for step in steps + [try #require(line[member: "parts"])] {
            #expect(step[member: "total"]?[member: "kind"]?.stringValue == "success")
        }
    }

    @Test("Steps that fail are told as steps: the answer has no parts")
    func failedSteps() throws {
        let line = try line { gateway in
            gateway.get("/page") { _ in
                .first(total: Single.just(1)).then {
                    .first(total: Single<Int>.error(GatewayError.notFound())).then { .parts(total: 2) }
                }
            }
        }
        expectUniqueKeys(line)
        let steps = try #require(line[member: "steps"]).elements
        #expect(steps.map { $0[member: "total"]?[member: "kind"]?.stringValue } == ["success", "requestErr"])
        #expect(line[member: "parts"] == nil)
        #expect(line[member: "status"]?.intValue == 404)
    }

    @Test("Steps that the client left are told as steps")
    func leftSteps() throws {
        let held = PublishSubject<JSONFragment>()
        let lines = try withLoggedGateway(configure: { _ in }) { gateway in
            gateway.get("/page") { _ in
                .first(total: Single.just(1)).then {
                    .first(total: held.take(1).asSingle()).then { .parts(total: 2) }
                }
            }
        } _: { server in
            do {
                let client = try RawClient(port: server.port)
                client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
                try spin(while: !held.hasObservers)
            }
            try spin(while: held.hasObservers)
        }
        let line = try #require(lines.first)
        expectUniqueKeys(line)
        let steps = try #require(line[member: "steps"]).elements
        #expect(steps.map { $0[member: "total"]?[member: "kind"]?.stringValue } == ["success", "cancelled"])
        #expect(line[member: "parts"] == nil)
    }
}
