import EndpointPlans
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
        #expect(document.listen.host?.value == "0.0.0.0")
        #expect(document.listen.port == Located(80, at: ConfigPlace(file: 0, line: 2, column: 31)))
        #expect(document.listen.loops?.value == 2)
        #expect(document.logLevel?.value == .warning)
        #expect(document.drainDelay?.value == 1_500_000_000)
        #expect(document.name?.value == "edge")
        #expect(document.hosts?.map(\.value) == ["app.example.com", "*.example.org"])
        #expect(document.publicFolder?.value == "/srv/pages")
        #expect(document.timeline?.value == true)
        #expect(document.proxy?.value == "http://proxy:3128")
        #expect(document.noProxy?.map(\.value) == ["10.0.0.0/8"])
        let cors = try #require(document.cors?.value)
        guard case .list(let origins) = cors.origins else {
            Issue.record("any origin")
            return
        }
        #expect(origins.map(\.value) == ["https://app.example"])
        #expect(cors.methods?.map(\.value) == ["GET"])
        #expect(cors.headers?.map(\.value) == ["X-A"])
        #expect(cors.exposedHeaders?.map(\.value) == ["X-B"])
        #expect(cors.maxAge?.value == 3_600_000_000_000)
        #expect(cors.allowsCredentials?.value == true)
        #expect(document.limits.deadline?.value == 20_000_000_000)
        #expect(document.limits.requestBody?.value == 65_536)
        #expect(document.limits.answer?.value == 8 << 20)
        #expect(document.limits.requestsInFlight?.value == 100)
        #expect(document.limits.upstreamBodies?.value == 1 << 30)
        #expect(document.limits.connections?.value == 500)
        #expect(document.limits.sendRate?.value == 1024)
    }

    @Test("A file with only its version has no settings")
    func nothing() throws {
        let document = try #require(ConfigReading.read(text: "").document)
        #expect(document.listen.port == nil)
        #expect(document.limits.deadline == nil)
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
