import EndpointPlans
import HTTPModel
import JSONBytes
import Testing

@testable import GatewayConfig

@Suite("Upstreams")
struct UpstreamTests {
    private func upstream(_ text: String) throws -> ConfigUpstream {
        let reading = ConfigReading.read(
            text: """
                upstreams:
                  api: {\(text)}
                endpoints: [{get: /a, parts: {a: {upstream: api, get: /a}}}]
                """, files: ["/run/key": "k\n"])
        #expect(reading.lines.filter { !$0.contains("warning") } == [])
        return try #require(reading.document?.upstreams.first)
    }

    @Test("An upstream has one URL or several, and a name with a place")
    func addresses() throws {
        let one = try upstream("url: https://api.internal/v1")
        #expect(one.name == Located("api", at: ConfigPlace(file: 0, line: 3, column: 3)))
        #expect(one.urls.map(\.value) == ["https://api.internal/v1"])
        let two = try upstream("urls: [\"http://10.0.0.1:81\", \"unix:/run/api.sock\"]")
        #expect(two.urls.map(\.value) == ["http://10.0.0.1:81", "unix:/run/api.sock"])
    }

    @Test("Times, retries and limits are in nanoseconds and bytes")
    func numbers() throws {
        let api = try upstream(
            "url: http://a, timeouts: {total: 3s, connect: 1s, firstByte: 2s, between: 500ms}, "
                + "retry: {attempts: 2, base: 5ms, cap: 2s}, limits: {connections: 8, wait: 0s, body: 1MiB}, emptyBody: true"
        )
        #expect(api.timeouts.total?.value == 3_000_000_000)
        #expect(api.timeouts.connect?.value == 1_000_000_000)
        #expect(api.timeouts.firstByte?.value == 2_000_000_000)
        #expect(api.timeouts.between?.value == 500_000_000)
        #expect(api.retry.attempts?.value == 2)
        #expect(api.retry.base?.value == 5_000_000)
        #expect(api.retry.cap?.value == 2_000_000_000)
        #expect(api.limits.connections?.value == 8)
        #expect(api.limits.wait?.value == 0)
        #expect(api.limits.body?.value == 1 << 20)
        #expect(api.emptyBody?.value == true)
    }

    @Test("An envelope is a word or declared")
    func envelopes() throws {
        if case .generic? = try upstream("url: http://a, envelope: generic").envelope?.value {
        } else {
            Issue.record("not generic")
        }
        let declared = try upstream(
            "url: http://a, envelope: {status: /s/code, data: /d, message: /m, success: [\"00\", 200, true]}")
        guard case .declared(let status, let data, let message, let success)? = declared.envelope?.value
        else {
            Issue.record("not declared")
            return
        }
        #expect(status.value.description == "/s/code")
        #expect(data.value.description == "/d")
        #expect(message?.value.description == "/m")
        #expect(success.map(\.value) == ["00", "200", "true"])
    }

    @Test("Headers are constant and take secrets")
    func headers() throws {
        let api = try upstream("url: http://a, headers: {X-Key: \"${file:/run/key}\", X-Braces: \"{a}\"}")
        #expect(api.headers.map(\.name.value.description) == ["X-Key", "X-Braces"])
        #expect(api.headers.map(\.value.value) == ["k", "{a}"])
    }

    @Test("TLS has files, pins, a name, a version and a switch")
    func tls() throws {
        let pin = "sha256//" + String(repeating: "A", count: 43) + "="
        let api = try upstream(
            "url: https://a, tls: {ca: ca.pem, cert: c.pem, key: k.pem, pins: [\(pin)], serverName: b, minimum: \"1.3\", verify: none}"
        )
        let tls = try #require(api.tls?.value)
        #expect(tls.ca?.value == "ca.pem")
        #expect(tls.certificate?.value == "c.pem")
        #expect(tls.key?.value == "k.pem")
        #expect(tls.pins.map(\.value) == [pin])
        #expect(tls.serverName?.value == "b")
        #expect(tls.minimum?.value == .tls13)
        #expect(tls.verifies?.value == false)
    }

    @Test("Resilience has numbers and can be switched off")
    func resilience() throws {
        let api = try upstream(
            "url: http://a, concurrency: 100, breaker: {window: 5s, minimumCalls: 10, failureRate: 0.3, open: 1s, maxOpen: 2s, probes: 1}, "
                + "ejection: {consecutive: 3, base: 1s, max: 2s, maxShare: 1}, slowStart: 0s, "
                + "health: {path: /up, interval: 1s, timeout: 100ms, unhealthy: 1, healthy: 1}, dns: {minTTL: 1s, maxTTL: 2s, stale: 0s, servers: [127.0.0.1:5353]}"
        )
        #expect(api.concurrency?.value == .on(100))
        guard case .on(let breaker)? = api.breaker?.value, case .on(let ejection)? = api.ejection?.value,
            case .on(let health)? = api.health?.value,
            case .settings(let least, let most, let stale, let servers)? = api.dns?.value
        else {
            Issue.record("something is off")
            return
        }
        #expect(breaker.window?.value == 5_000_000_000)
        #expect(breaker.minimumCalls?.value == 10)
        #expect(breaker.failureRate?.value == 0.3)
        #expect(breaker.open?.value == 1_000_000_000)
        #expect(breaker.maxOpen?.value == 2_000_000_000)
        #expect(breaker.probes?.value == 1)
        #expect(ejection.consecutive?.value == 3)
        #expect(ejection.base?.value == 1_000_000_000)
        #expect(ejection.max?.value == 2_000_000_000)
        #expect(ejection.maxShare?.value == 1)
        #expect(api.slowStart?.value == .on(0))
        #expect(health.path.value == "/up")
        #expect([health.interval?.value, health.timeout?.value] == [1_000_000_000, 100_000_000])
        #expect([health.unhealthy?.value, health.healthy?.value] == [1, 1])
        #expect([least?.value, most?.value, stale?.value] == [1_000_000_000, 2_000_000_000, 0])
        #expect(servers.map(\.value) == ["127.0.0.1:5353"])
        let off = try upstream(
            "url: http://a, concurrency: off, breaker: off, ejection: false, slowStart: off, health: off, dns: system"
        )
        #expect(off.concurrency?.value == .off)
        #expect(off.breaker?.value == .off)
        #expect(off.ejection?.value == .off)
        #expect(off.slowStart?.value == .off)
        #expect(off.health?.value == .off)
        #expect(off.dns?.value == .system)
    }

    @Test("F2: Upstreams, schemas and routes of all files share their names")
    func severalFiles() {
        let reading = ConfigReading.read(
            text: """
                include: [b.yaml, c.yaml]
                upstreams: {a: {url: "http://a"}}
                schemas: {S: string}
                endpoints: [{get: "/x/{id}", parts: {p: {upstream: b, get: /p, schema: {$ref: "#/schemas/S"}}}}]
                """,
            files: [
                "b.yaml": "upstreams: {b: {url: \"http://b\"}, a: {url: \"http://other\"}}\n",
                "c.yaml":
                    "schemas: {S: integer}\nendpoints: [{get: \"/x/{name}\", parts: {q: {upstream: a, get: /q}}}]\n",
            ])
        #expect(
            reading.lines == [
                "b.yaml:1:35: error: the upstream \"a\" is declared twice; first at f:3:13",
                "c.yaml:1:11: error: the schema \"S\" is declared twice; first at f:4:11",
                "c.yaml:2:14: error: GET /x/{name} is declared twice; first at f:5:14",
            ])
        #expect(reading.paths == ["f", "b.yaml", "c.yaml"])
    }
}
