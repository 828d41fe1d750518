import Dispatch
import EndpointPlans
import EventIO
import HTTPModel
import HTTPOutbound
import JSONBytes
import Networking
import Resilience
import Rx
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
        #expect(one.settings.urls == ["https://api.internal/v1"])
        let two = try upstream("urls: [\"http://10.0.0.1:81\", \"unix:/run/api.sock\"]")
        #expect(two.settings.urls == ["http://10.0.0.1:81", "unix:/run/api.sock"])
    }

    @Test("Times, retries and limits have their values and places, and others their defaults")
    func numbers() throws {
        let api = try upstream(
            "url: http://a, timeouts: {total: 3s, connect: 1s, firstByte: 2s, between: 500ms}, "
                + "retry: {attempts: 2, base: 5ms, cap: 2s}, limits: {connections: 8, wait: 0s, body: 1MiB}, emptyBody: true"
        )
        let settings = api.settings
        #expect(settings.calls.totalTimeout == .seconds(3))
        #expect(
            settings.calls.attemptLimits
                == AttemptLimits(
                    connect: .seconds(1), firstByte: .seconds(2), between: .milliseconds(500)))
        #expect(settings.calls.retry.maxAttempts == 2)
        #expect(
            settings.calls.retry.backoff
                == .exponential(base: .milliseconds(5), cap: .seconds(2), jitter: .full))
        #expect(settings.limits.connectionsPerUpstream == 8)
        #expect(settings.limits.waitTimeout == .zero)
        #expect(settings.limits.responseBody == 1 << 20)
        #expect(settings.limits.responseHead == OutboundLimits().responseHead)
        #expect(settings.allowsEmptyBody)
        let place = ConfigPlace(file: 0, line: 3, column: 42)
        #expect(api.time("timeouts.total", \.calls.totalTimeout) == Located(3_000_000_000, at: place))
        #expect(api.attempts?.value == 2)
        #expect(try upstream("url: http://a").attempts == nil)
    }

    @Test("An envelope is a word or declared")
    func envelopes() throws {
        #expect(try upstream("url: http://a, envelope: generic").settings.envelope == .genericResponse)
        #expect(try upstream("url: http://a, envelope: none").settings.envelope == .none)
        let declared = try upstream(
            "url: http://a, envelope: {status: /s/code, data: /d, message: /m, success: [\"00\", 200, true]}")
        #expect(
            declared.settings.envelope
                == .declared(
                    status: "/s/code", data: "/d", message: "/m", success: ["00", "200", "true"]))
    }

    @Test("Headers are constant and take secrets")
    func headers() throws {
        let api = try upstream("url: http://a, headers: {X-Key: \"${file:/run/key}\", X-Braces: \"{a}\"}")
        #expect(api.settings.headers == ["X-Key": "k", "X-Braces": "{a}"])
    }

    @Test("TLS has files, pins, a name, a version and a switch")
    func tls() throws {
        let pin = "sha256//" + String(repeating: "A", count: 43) + "="
        let api = try upstream(
            "url: https://a, tls: {ca: ca.pem, cert: c.pem, key: k.pem, pins: [\(pin)], serverName: b, minimum: \"1.3\", verify: none}"
        )
        var expected = TLSConfiguration()
        expected.trust = .authorities(.file("ca.pem"))
        expected.identity = TLSConfiguration.Identity(
            certificateChain: .file("c.pem"), privateKey: .file("k.pem"))
        expected.pins = [pin]
        expected.serverName = "b"
        expected.minimumVersion = .tls13
        expected.verification = .insecureNone
        #expect(api.settings.tls == expected)
        #expect(expected.files == ["ca.pem", "c.pem", "k.pem"])
        #expect(try upstream("url: https://a, tls: {}").settings.tls == TLSConfiguration())
        #expect(try upstream("url: https://a").settings.tls == nil)
    }

    @Test("Resilience has numbers and can be switched off")
    func resilience() throws {
        let api = try upstream(
            "url: http://a, concurrency: 100, breaker: {window: 5s, minimumCalls: 10, failureRate: 0.3, open: 1s, maxOpen: 2s, probes: 1}, "
                + "ejection: {consecutive: 3, base: 1s, max: 2s, maxShare: 1}, slowStart: 0s, "
                + "health: {path: /up, interval: 1s, timeout: 100ms, unhealthy: 1, healthy: 1}, dns: {minTTL: 1s, maxTTL: 2s, stale: 0s, servers: [127.0.0.1:5353]}"
        ).settings
        #expect(api.policy.concurrency == 100)
        var breaker = CircuitBreakerPolicy()
        breaker.window = .seconds(5)
        breaker.minimumCalls = 10
        breaker.failureRate = 0.3
        breaker.open = .seconds(1)
        breaker.maxOpen = .seconds(2)
        breaker.probes = 1
        #expect(api.policy.breaker == breaker)
        var ejection = EjectionPolicy()
        ejection.consecutive = 3
        ejection.base = .seconds(1)
        ejection.max = .seconds(2)
        ejection.maxShare = 1
        #expect(api.policy.ejection == ejection)
        #expect(api.policy.slowStart == .zero)
        var health = HealthCheckPolicy(path: "/up")
        health.interval = .seconds(1)
        health.timeout = .milliseconds(100)
        health.unhealthy = 1
        health.healthy = 1
        #expect(api.policy.health == health)
        var dns = DNSSettings()
        dns.minTTL = .seconds(1)
        dns.maxTTL = .seconds(2)
        dns.stale = .zero
        dns.servers = ["127.0.0.1:5353"]
        #expect(api.dns == dns)
        let off = try upstream(
            "url: http://a, concurrency: off, breaker: off, ejection: false, slowStart: off, health: off, dns: system"
        ).settings
        #expect(off.policy.concurrency == nil)
        #expect(off.policy.breaker == nil)
        #expect(off.policy.ejection == nil)
        #expect(off.policy.slowStart == nil)
        #expect(off.policy.health == nil)
        #expect(off.dns == .system)
    }

    @Test("What a file does not set stays as it is where its changes are applied")
    func changes() throws {
        let api = try upstream("url: http://a, breaker: {probes: 7}, ejection: {}, health: {path: /up}")
        var settings = UpstreamSettings()
        settings.policy.breaker?.window = .seconds(1)
        settings.policy.ejection = nil
        settings.limits.waitingCalls = 5
        let changed = api.changes.applied(to: settings)
        #expect(changed.policy.breaker?.window == .seconds(1))
        #expect(changed.policy.breaker?.probes == 7)
        #expect(changed.policy.ejection == EjectionPolicy())
        #expect(changed.limits == settings.limits)
        #expect(api.changes.has("breaker") && api.changes.has("breaker.probes"))
        #expect(!api.changes.has("breaker.window") && !api.changes.has("limits"))
        #expect(api.changes.without("breaker", "url").applied(to: settings).policy.breaker?.probes == 3)
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
