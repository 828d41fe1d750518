import GatewayCore
import Metrics
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Metrics over a reload", .timeLimit(.minutes(1)))
struct ReloadedMetricsTests {
    private static func text(_ metrics: String, _ port: UInt16, last: String = "/b") -> String {
        """
        version: 1
        \(metrics)
        upstreams: {parts: {url: "http://127.0.0.1:\(port)"}}
        endpoints:
        - {get: /a, parts: {one: {upstream: parts, get: /x}}}
        - {get: \(last), parts: {two: {upstream: parts, get: /x}}}

        """
    }

    private func wait(_ server: GatewayServer, _ series: String, is value: Double?) throws {
        try spin(while: server.metric(series) != value) {
            "\(series) is \(server.metric(series) ?? -1), not \(value ?? -1)"
        }
    }

    private func serve(_ body: (FileGateway, UInt16) throws -> Void) throws {
        let upstream = try ScriptedUpstream([.answer { _ in FileGateway.ok() }])
        defer { upstream.stop() }
        let gateway = try FileGateway(Self.text("", upstream.port), configure: { $0.loops = 2 })
        defer { gateway.stop() }
        try body(gateway, upstream.port)
    }

    private static func requests(_ route: String) -> String {
        #"http_requests_total{route="\#(route)",method="GET",status="200",code="OK"}"#
    }

    @Test("Before the first request each route, each upstream and all fixed sets are there, at 0")
    func zeros() throws {
        try serve { gateway, _ in
            let server = gateway.server
            try wait(server, Self.requests("/a"), is: 0)
            try wait(server, Self.requests("/b"), is: 0)
            for series in [
                #"upstream_attempts_total{upstream="parts",status="2xx",reason=""}"#,
                #"upstream_attempt_duration_seconds_count{upstream="parts"}"#,
                #"upstream_retries_total{upstream="parts"}"#, #"upstream_waiting_calls{upstream="parts"}"#,
                #"http_request_duration_seconds_count{route="/a"}"#, "connections",
                "connections_accepted_total", "http_requests_in_flight", "dns_stale_answers_total",
                "compression_skipped_total",
            ] {
                #expect(server.metric(series) == 0, "\(series)")
            }
            let sets: [(name: String, label: String, values: [String])] = [
                (
                    "http_refused_total", "reason",
                    [
                        "endpoint_share", "endpoint_limit", "connections", "bodies", "files", "host", "loop",
                        "malformed", "timeout", "too_large", "proxy_header",
                    ]
                ),
                ("http_unfinished_responses_total", "end", ["client_gone", "stalled", "aborted", "drain"]),
                ("answer_bytes_waiting", "place", ["memory", "file"]),
                ("connections_shed_total", "reason", ["idle", "slow_head", "refused"]),
                ("compression_input_bytes_total", "coding", ["gzip", "br"]),
                ("compression_output_bytes_total", "coding", ["gzip", "br"]),
                ("dns_lookups_total", "result", ["success", "no_name", "timeout", "error"]),
                ("config_reloads_total", "result", ["success", "failure"]),
                (
                    #"upstream_refused_total"#, #"upstream="parts",reason"#,
                    ["circuit_open", "concurrency_limit", "connection_limit_reached", "memory_limit"]
                ),
                (#"upstream_connections"#, #"upstream="parts",state"#, ["idle", "leased", "relay"]),
            ]
            for set in sets {
                for value in set.values {
                    let series = "\(set.name){\(set.label)=\"\(value)\"}"
                    #expect(server.metric(series) == 0, "\(series)")
                }
            }
        }
    }

    @Test("Counts go on over reloads, even if one removes an endpoint and the next one brings it back")
    func counts() throws {
        try serve { gateway, port in
            let server = gateway.server
            for _ in 0..<3 { #expect(try gateway.get("/a").status == 200) }
            #expect(try gateway.get("/b").status == 200)
            let attempts = #"upstream_attempts_total{upstream="parts",status="2xx",reason=""}"#
            let parts = #"parts_total{route="/a",part="one",kind="success",reason=""}"#
            try wait(server, Self.requests("/a"), is: 3)
            try wait(server, Self.requests("/b"), is: 1)
            try wait(server, attempts, is: 4)
            try gateway.reload(Self.text("", port, last: "/c"))
            #expect(try gateway.get("/c").status == 200)
            #expect(try gateway.get("/a").status == 200)
            try wait(server, Self.requests("/a"), is: 4)
            try wait(server, Self.requests("/c"), is: 1)
            try wait(server, Self.requests("/b"), is: 1)
            try wait(server, parts, is: 4)
            try wait(server, attempts, is: 6)
            try gateway.reload(Self.text("", port))
            #expect(try gateway.get("/b").status == 200)
            try wait(server, Self.requests("/b"), is: 2)
            try wait(server, Self.requests("/c"), is: 1)
            #expect(server.metric(#"config_reloads_total{result="success"}"#) == 2)
            #expect(server.metric("config_generation") == 3)
        }
    }

    @Test("A reload with other buckets begins the histograms of requests again, and no other counts")
    func buckets() throws {
        try serve { gateway, port in
            let server = gateway.server
            #expect(try gateway.get("/a").status == 200)
            let count = #"http_request_duration_seconds_count{route="/a"}"#
            try wait(server, count, is: 1)
            #expect(server.metric(#"http_request_duration_seconds_bucket{route="/a",le="15.0"}"#) == 1)
            try gateway.reload(Self.text("metrics: {buckets: [0.3s, 60s]}", port))
            try wait(server, count, is: 0)
            #expect(try gateway.get("/a").status == 200)
            try wait(server, count, is: 1)
            #expect(server.metric(#"http_request_duration_seconds_bucket{route="/a",le="60.0"}"#) == 1)
            #expect(server.metric(#"http_request_duration_seconds_bucket{route="/a",le="15.0"}"#) == nil)
            try wait(server, Self.requests("/a"), is: 2)
            // A reload with the same buckets goes on.
            try gateway.reload(Self.text("metrics: {buckets: [300ms, 1m]}", port))
            #expect(server.metric(count) == 1)
        }
    }

    @Test("metrics.parts: off ends the metrics of parts at a reload, and on begins them at 0")
    func parts() throws {
        try serve { gateway, port in
            let server = gateway.server
            let parts = #"parts_total{route="/a",part="one",kind="success",reason=""}"#
            let durations = #"part_duration_seconds_count{route="/a",part="one"}"#
            for _ in 0..<2 { #expect(try gateway.get("/a").status == 200) }
            try wait(server, parts, is: 2)
            try gateway.reload(Self.text("metrics: {parts: off}", port))
            #expect(server.metric(parts) == nil)
            #expect(try gateway.get("/a").status == 200)
            try wait(server, Self.requests("/a"), is: 3)
            #expect(server.metric(parts) == nil)
            #expect(server.metric(durations) == nil)
            try gateway.reload(Self.text("", port))
            #expect(try gateway.get("/a").status == 200)
            try wait(server, parts, is: 1)
            try wait(server, durations, is: 1)
        }
    }

    @Test(
        "A gateway in Swift does not start with buckets that do not rise",
        arguments: [[], [2, 1], [1, 1], [0]])
    func invalid(seconds: [Int]) {
        let error = #expect(throws: GatewayStartError.self) {
            _ = try withLoggedGateway {
                $0.metrics.buckets = seconds.map { .seconds($0) }
            } declare: { _ in
            } _: { _ in
            }
        }
        #expect(
            error.map { "\($0)" } == "metrics.buckets must be 1 to 20 rising times from 0.1 ms to 1 h")
    }
}
