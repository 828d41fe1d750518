import EndpointPlans
import GatewayCore
import HTTPInbound
import HTTPOutbound
import NetworkingSession
import Testing

@testable import GatewayConfig

@Suite("Settings of the gateway")
struct SettingTests {
    @Test("Each setting has its value and its place")
    func settings() throws {
        let reading = ConfigReading.read(
            text: """
                listen: {host: 0.0.0.0, port: 80, loops: 2}
                log: {level: warning}
                drain: {delay: 1.5s}
                name: edge
                hosts: [app.example.com, "*.example.org"]
                public: /srv/pages
                timeline: on
                proxy: http://proxy:3128
                noProxy: 10.0.0.0/8
                cors: {origins: [https://app.example], methods: [GET], headers: [X-A], exposedHeaders: [X-B], maxAge: 1h, credentials: true}
                limits: {deadline: 20s, requestBody: 64KiB, answer: 8MiB, requestsInFlight: 100, upstreamBodies: 1GiB, connections: 500, sendRate: 1KiB/s}
                x-note: {any: [1]}
                """)
        #expect(reading.lines == [])
        let document = try #require(reading.document)
        let settings = document.settings
        #expect(settings.host == "0.0.0.0")
        #expect(settings.port == 80)
        #expect(document.changes.place(of: "listen.port") == ConfigPlace(file: 0, line: 2, column: 31))
        #expect(settings.loops == 2)
        #expect(settings.logLevel == .warning)
        #expect(settings.drainDelay == .milliseconds(1500))
        #expect(settings.name == "edge")
        let names = try HostNames(["app.example.com", "*.example.org"])
        #expect(settings.hosts == names)
        guard case .folder("/srv/pages")? = settings.files?.source else {
            Issue.record("no folder")
            return
        }
        #expect(settings.limits.allowsTimeline)
        let exceptions = try NoProxy("10.0.0.0/8")
        #expect(settings.connections.proxy.exceptions == exceptions)
        let cors = try #require(settings.cors)
        #expect(!cors.origins.isAny)
        #expect(cors.methods == [.get])
        #expect(cors.headers == ["X-A"])
        #expect(cors.exposedHeaders == ["X-B"])
        #expect(cors.maxAge == .seconds(3600))
        #expect(cors.allowsCredentials)
        #expect(settings.limits.deadline == .seconds(20))
        #expect(document.deadline?.value == 20_000_000_000)
        #expect(settings.limits.requestBody == 65_536)
        #expect(settings.limits.answer == 8 << 20)
        #expect(settings.inbound.requestsInFlight == 100)
        #expect(settings.upstreamBodies == 1 << 30)
        #expect(settings.inbound.connections == 500)
        #expect(settings.inbound.sendRate == 1024)
    }

    @Test(
        "What a module refuses of a setting is an error at the value, without the values of variables",
        arguments: [
            (
                "listen: {host: example.com}",
                "f:2:16: error: host takes a numeric address such as 127.0.0.1 or ::1, or localhost, not \"example.com\""
            ),
            (
                "listen: {host: \"${A}.com\"}",
                "f:2:16: error: host takes a numeric address such as 127.0.0.1 or ::1, or localhost, not \"${A}.com\""
            ),
            ("hosts: [any, a]", "f:2:9: error: hosts takes names, or any: 'any' must be the only host name"),
            (
                "proxy: ftp://me:secret@p",
                "f:2:8: error: proxy takes http://[user:password@]host[:port] or environment: "
                    + "the proxy's scheme is ftp, but only http is supported"
            ),
            (
                "cors: {origins: [\"https://a\", \"*\"]}",
                "f:2:31: error: the CORS origin \"*\" is not of the form scheme://host[:port]; write any for all origins"
            ),
        ])
    func refused(text: String, line: String) {
        let reading = ConfigReading.read(text: text, variables: ["A": "hidden"])
        #expect(reading.document == nil)
        #expect(reading.lines.filter { $0.contains("error") } == [line])
    }

    @Test("A file with only its version has no settings")
    func nothing() throws {
        let document = try #require(ConfigReading.read(text: "").document)
        #expect(!document.changes.has("listen.port") && document.settings.port == 8080)
        #expect(document.deadline == nil && document.settings.limits.deadline == .seconds(15))
        #expect(document.endpoints.isEmpty && document.upstreams.isEmpty)
        #expect(document.files == ["f"])
        let place = ConfigPlace(file: 0, line: 2, column: 3)
        #expect(document.problem(.warning, "late", at: place).description == "f:2:3: warning: late")
    }

    @Test(
        "Times and sizes have units",
        arguments: [
            ("500ms", 500_000_000), ("5s", 5_000_000_000), ("1m", 60_000_000_000), ("2h", 7_200_000_000_000),
            ("0.5s", 500_000_000), ("1.000001s", 1_000_001_000), ("0s", 0),
        ])
    func times(text: String, nanoseconds: Int) {
        #expect(Quantity.time.parse(text) == nanoseconds)
    }

    @Test(
        "Other texts are no times",
        arguments: [
            "", "5", "s", "5 s", "5S", "-5s", "+5s", "5.s", ".5s", "5ss", "1e3s", "5s ", "0x5s", "1h30m",
            "9999999999999999s", "999999999999999h", "0.0000001s", "٥s",
        ])
    func noTimes(text: String) {
        #expect(Quantity.time.parse(text) == nil)
    }

    @Test("A fraction of a byte is no size")
    func sizes() {
        #expect(Quantity.size.parse("0.5KiB") == 512)
        #expect(Quantity.size.parse("1GiB") == 1 << 30)
        #expect(Quantity.size.parse("0.5B") == nil)
        #expect(Quantity.size.parse("1KB") == nil)
        #expect(Quantity.rate.parse("500B/s") == 500)
        #expect(Quantity.time.text(90_000_000_000) == "90s")
        #expect(Quantity.time.text(0) == "0s")
        #expect(Quantity.size.text(8 << 20) == "8MiB")
    }
}
