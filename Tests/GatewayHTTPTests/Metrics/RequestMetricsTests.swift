import GatewayCore
import HTTPModel
import JSONBytes
import Metrics
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP
@testable import Networking

@Suite("Metrics of requests", .timeLimit(.minutes(1)))
struct RequestMetricsTests {
    @Test("Bytes of requests and answers by route are what the log says, and what the client sent and got")
    func bytes() throws {
        let body = String(repeating: "b", count: 3000)
        let requests = [
            ("_none", "GET /nowhere HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"),
            ("/large", "GET /large HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"),
            (
                "/count",
                "POST /count HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: 3000\r\n\r\n\(body)"
            ),
        ]
        var counted: [String: [Double?]] = [:]
        let lines = try withLoggedGateway { _ in
        } declare: { gateway in
            gateway.get("/large") { _ in .json(String(repeating: "a", count: 50_000)) }
            gateway.post("/count") { .json($0.body.count) }
        } _: { server in
            for (route, request) in requests {
                var received = 0
                for turn in 1...2 {
                    let client = try RawClient(port: server.port)
                    client.send(request)
                    received += client.readToEnd().bytes.count
                    try server.wait(
                        for: #"http_request_duration_seconds_count{route="\#(route)"}"#, toBe: Double(turn))
                }
                let bytes = ["request", "response"].map {
                    server.metric(#"http_\#($0)_bytes_total{route="\#(route)"}"#)
                }
                #expect(bytes == [Double(2 * request.utf8.count), Double(received)], "\(route)")
                counted[route] = bytes
            }
        }
        for (route, _) in requests {
            let path = route == "_none" ? "/nowhere" : route
            let own = lines.filter { $0[member: "path"]?.stringValue == path }
            #expect(own.count == 2)
            let logged = ["bytesIn", "bytesOut"].map { name in
                own.reduce(0.0) { $0 + ($1[member: name]?.doubleValue ?? 0) }
            }
            #expect(counted[route] == logged, "\(route)")
        }
    }

    @Test("A request is in flight until it is answered")
    func inFlight() throws {
        let held = HeldRequests()
        _ = try withLoggedGateway { _ in
        } declare: {
            held.declare(on: $0)
        } _: { server in
            try server.wait(for: "http_requests_in_flight", toBe: 0)
            let clients = try held.begin(1, at: server)
            #expect(server.metric("http_requests_in_flight") == 1)
            held.answer()
            #expect(clients[0].receive()?.status == 200)
            try server.wait(for: "http_requests_in_flight", toBe: 0)
        }
    }

    /// What a client does so that the server refuses it.
    enum Refused: CaseIterable {
        case foreignHost, largeBody, slowHead, slowBody, fullLoop

        var reason: Refusal {
            switch self {
            case .foreignHost: .host
            case .largeBody: .tooLarge
            case .slowHead, .slowBody: .timeout
            case .fullLoop: .loop
            }
        }

        var status: Int {
            switch self {
            case .foreignHost: 421
            case .largeBody: 413
            case .slowHead, .slowBody: 408
            case .fullLoop: 503
            }
        }

        var request: String {
            switch self {
            case .foreignHost: "GET /held HTTP/1.1\r\nHost: other.example\r\n\r\n"
            case .largeBody: "POST /posted HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\n"
            case .slowHead: "GET /held HT"
            case .slowBody: "POST /posted HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\n1"
            case .fullLoop: "GET /held HTTP/1.1\r\nHost: test\r\n\r\n"
            }
        }
    }

    @Test(
        "A request that the server refuses is counted by the reason, and by no other",
        arguments: Refused.allCases)
    func refused(_ refused: Refused) throws {
        let held = HeldRequests()
        let hosts = try HostNames(["test"])
        _ = try withLoggedGateway { configuration in
            configuration.hosts = hosts
            configuration.limits.requestBody = 10
            if refused == .slowHead { configuration.inbound.headerDeadline = .milliseconds(100) }
            if refused == .slowBody { configuration.inbound.bodyDeadline = .milliseconds(100) }
            if refused == .fullLoop { configuration.inbound.requestsInFlight = 1 }
        } declare: { gateway in
            held.declare(on: gateway)
            gateway.post("/posted") { .json($0.body.count) }
        } _: { server in
            let earlier = refused == .fullLoop ? try held.begin(1, at: server) : []
            try server.wait(for: #"http_refused_total{reason="\#(refused.reason.rawValue)"}"#, toBe: 0)
            let client = try RawClient(port: server.port)
            client.send(refused.request)
            #expect(try client.reply().status == refused.status)
            for reason in Refusal.allCases {
                let count = server.metric(#"http_refused_total{reason="\#(reason.rawValue)"}"#)
                #expect(count == (reason == refused.reason ? 1 : 0), "\(reason)")
            }
            held.answer()
            for client in earlier { #expect(client.receive()?.status == 200) }
        }
    }

    @Test("A request above the limit of requests in flight counts at its route, and its line names that")
    func refusedAtItsRoute() throws {
        let held = HeldRequests()
        let lines = try withLoggedGateway {
            $0.inbound.requestsInFlight = 1
        } declare: { gateway in
            held.declare(on: gateway)
            gateway.get("/users/{id}") { _ in .json(1) }
            gateway.post("/posted") { .json($0.body.count) }
        } _: { server in
            let earlier = try held.begin(1, at: server)
            let client = try RawClient(port: server.port)
            #expect(client.get("/users/7")?.status == 503)
            #expect(try RawClient(port: server.port).post("/posted", body: "[]")?.status == 503)
            for (route, method) in [("/users/{id}", "GET"), ("/posted", "POST")] {
                let labels = #"route="\#(route)",method="\#(method)",status="503",code="OVERLOADED""#
                try server.wait(for: "http_requests_total{\(labels)}", toBe: 1)
            }
            held.answer()
            for client in earlier { #expect(client.receive()?.status == 200) }
        }
        let refused = lines.filter { $0[member: "status"]?.intValue == 503 }
        #expect(refused.map { $0[member: "route"]?.stringValue } == ["/users/{id}", "/posted"])
        #expect(refused.map { $0[member: "code"]?.stringValue } == ["OVERLOADED", "OVERLOADED"])
    }

    @Test("The 17th outcome of a route and all later ones are counted as _other")
    func outcomes() throws {
        _ = try withLoggedGateway { _ in
        } declare: { gateway in
            gateway.get("/codes/{number}") { request in
                let number = try request.path("number", as: Int.self)
                throw GatewayError(ErrorCode("CODE_\(number)", status: .conflict), "No")
            }
        } _: { server in
            let client = try RawClient(port: server.port)
            for number in 1...20 { #expect(client.get("/codes/\(number)")?.status == 409) }
            try server.wait(for: #"http_request_duration_seconds_count{route="/codes/{number}"}"#, toBe: 20)
            func count(_ labels: String) -> Double? {
                server.metric(#"http_requests_total{route="/codes/{number}",\#(labels)}"#)
            }
            // A success is there from the beginning.
            #expect(count(#"method="GET",status="200",code="OK""#) == 0)
            for number in 1...20 {
                let expected: Double? = number <= 15 ? 1 : nil
                #expect(count(#"method="GET",status="409",code="CODE_\#(number)""#) == expected, "\(number)")
            }
            #expect(count(#"method="_other",status="_other",code="_other""#) == 5)
        }
    }

    @Test("The 17th outcome of a part and all later ones are counted as _other")
    func partOutcomes() throws {
        _ = try withLoggedGateway { _ in
        } declare: { gateway in
            gateway.get("/reasons/{number}") { request in
                let number = try request.path("number", as: Int.self)
                let failure = NetworkError(
                    kind: .networkFail, reason: FailureReason(token: "reason_\(number)"), message: "No",
                    upstream: "none", call: nil, attempts: 1, elapsed: .zero, isRetryable: false)
                return .parts(
                    well: JSONFragment(string: "1"), failing: Single<JSONFragment>.error(failure).optional())
            }
        } _: { server in
            let client = try RawClient(port: server.port)
            for number in 1...20 { #expect(client.get("/reasons/\(number)")?.status == 200) }
            let part = #"route="/reasons/{number}",part="failing""#
            try server.wait(for: "part_duration_seconds_count{\(part)}", toBe: 20)
            for number in 1...20 {
                let count = server.metric(
                    #"parts_total{\#(part),kind="networkFail",reason="reason_\#(number)"}"#)
                #expect(count == (number <= 16 ? 1 : nil), "\(number)")
            }
            #expect(server.metric(#"parts_total{\#(part),kind="_other",reason="_other"}"#) == 4)
            let well = #"parts_total{route="/reasons/{number}",part="well",kind="success",reason=""}"#
            #expect(server.metric(well) == 20)
        }
    }

    @Test("Static files are one route, whether they are there or not")
    func files() throws {
        let fixture = try FileFixture()
        try fixture.write("small", "small")
        _ = try withLoggedGateway {
            $0.files = .folder(fixture.root)
        } declare: { _ in
        } _: { server in
            let client = try RawClient(port: server.port)
            let series = #"http_requests_total{route="_files",method="GET",status"#
            #expect(client.get("/missing")?.status == 404)
            try server.wait(for: #"\#(series)="404",code="NOT_FOUND"}"#, toBe: 1)
            #expect(client.get("/small")?.status == 200)
            try server.wait(for: #"\#(series)="200",code="OK"}"#, toBe: 1)
            #expect(server.metric(#"http_response_bytes_total{route="_files"}"#) ?? 0 > 0)
            #expect(server.metric(#"http_request_duration_seconds_count{route="_files"}"#) == 2)
            #expect(server.metric(#"http_request_duration_seconds_count{route="_none"}"#) == 0)
        }
    }

    @Test("The elements of a list are one part, with the name of the list")
    func lists() throws {
        _ = try withLoggedGateway { _ in
        } declare: { gateway in
            gateway.get("/tags") { _ in
                let one = JSONFragment(string: "1")
                return Answer.parts.dynamicallyCall(withKeywordArguments: [
                    "tags[0]": Single<JSONFragment>.error(GatewayError.notFound()).optional(),
                    "tags[1]": one, "tags[2]": one, "tags[3]": one, "tags": one,
                ])
            }
        } _: { server in
            #expect(try RawClient(port: server.port).get("/tags")?.status == 200)
            let part = #"route="/tags",part="tags""#
            try server.wait(for: "part_duration_seconds_count{\(part)}", toBe: 5)
            #expect(server.metric(#"parts_total{\#(part),kind="requestErr",reason="upstream_status"}"#) == 1)
            #expect(server.metric(#"parts_total{\#(part),kind="success",reason=""}"#) == 4)
            #expect(server.labels(after: #"part_duration_seconds_count{route="/tags",part"#) == ["tags"])
        }
    }

    @Test("The 33rd part of a route and all later ones are counted as _other")
    func manyParts() throws {
        let parts = (1...40).map { "p\($0): {value: 1}" }.joined(separator: ", ")
        let gateway = try FileGateway(
            "version: 1\nendpoints:\n- get: /many\n  parts: {\(parts)}\n- get: /few\n  parts: {p40: {value: 1}}\n"
        )
        defer { gateway.stop() }
        let server = gateway.server
        for _ in 0..<2 { #expect(try gateway.get("/many").status == 200) }
        #expect(try gateway.get("/few").status == 200)
        let success = #"kind="success",reason=""}"#
        try server.wait(for: #"parts_total{route="/many",part="_other",\#(success)"#, toBe: 16)
        #expect(server.metric(#"part_duration_seconds_count{route="/many",part="_other"}"#) == 16)
        let told = server.labels(after: #"part_duration_seconds_count{route="/many",part"#)
        #expect(Set(told) == Set((1...32).map { "p\($0)" } + ["_other"]))
        #expect(server.metric(#"parts_total{route="/many",part="p32",\#(success)"#) == 2)
        // Another route has parts of its own.
        try server.wait(for: #"parts_total{route="/few",part="p40",\#(success)"#, toBe: 1)
    }

    @Test("Without a setting the times of requests, attempts and lookups have the same bounds")
    func bounds() throws {
        let expected = [
            0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, .infinity,
        ]
        let upstream = try ScriptedUpstream([.answer { _ in ScriptedUpstream.one }])
        defer { upstream.stop() }
        try withMeteredUpstream(upstream.port) { server in
            #expect(try RawClient(port: server.port).get("/page")?.status == 200)
            for series in [
                #"http_request_duration_seconds_bucket{route="/page",le"#,
                #"upstream_attempt_duration_seconds_bucket{upstream="parts",le"#,
                #"upstream_pool_wait_seconds_bucket{upstream="parts",le"#,
                "dns_lookup_duration_seconds_bucket{le", "loop_wake_duration_seconds_bucket{le",
            ] {
                try spin(while: server.labels(after: series).isEmpty) { series }
                let bounds = server.labels(after: series).compactMap {
                    $0 == "+Inf" ? Double.infinity : Double($0)
                }
                #expect(bounds.sorted() == expected, "\(series)")
            }
        }
    }
}
