import Testing

@testable import EventIO

@Suite("DNS settings")
struct DNSSettingsTests {
    private static func complaint(_ change: (inout DNSSettings) -> Void) -> String? {
        var settings = DNSSettings()
        change(&settings)
        do {
            _ = try Resolver(settings)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        "A server that is not a numeric address is named",
        arguments: [
            "", "foo", "dns.example", "dns.example:53", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536",
            "127.0.0.1:+53", "127.0.0.1:53:53", ":53", "[::1", "[::1]:", "[::1]53", "fe80::1%eth0",
            "1.2.3:53",
        ])
    func invalidServer(server: String) {
        #expect(
            Self.complaint { $0.servers = ["10.0.0.2", server] }
                == "dns.servers: \"\(server)\" is not an address or address:port")
    }

    @Test("A time outside its range is named with its value and the range")
    func invalidTime() {
        #expect(
            Self.complaint { $0.minTTL = .milliseconds(99) }
                == "dns.minTTL: 99 ms is not between 100 ms and 1 day")
        #expect(
            Self.complaint { $0.minTTL = .seconds(86_401) }?.hasPrefix(
                "dns.minTTL: 86401 s is not between 100 ms and 1 day; dns.maxTTL: 300 s") == true)
        #expect(
            Self.complaint { $0.maxTTL = .milliseconds(500) }
                == "dns.maxTTL: 500 ms is not between dns.minTTL (1 s) and 1 day")
        #expect(Self.complaint { $0.stale = .seconds(-1) } == "dns.stale: -1 s is not between 0 s and 1 day")
        #expect(
            Self.complaint { $0.stale = .milliseconds(-1) } == "dns.stale: -1 ms is not between 0 s and 1 day"
        )
        for seconds in [Int64.min, .max] {
            #expect(
                Self.complaint { $0.stale = .seconds(seconds) }
                    == "dns.stale: \(seconds) s is not between 0 s and 1 day")
            let odd = Duration(
                secondsComponent: seconds, attosecondsComponent: seconds.signum() * 1_500_000_000_000_000)
            #expect(
                Self.complaint { $0.stale = odd } == "dns.stale: \(seconds) s is not between 0 s and 1 day")
        }
    }

    @Test("All settings that cannot be used are named at once")
    func several() {
        let complaint = Self.complaint {
            $0.stale = .seconds(86_401)
            $0.servers = Array(repeating: "10.0.0.2", count: 8) + ["foo"]
        }
        #expect(
            complaint == """
                dns.stale: 86401 s is not between 0 s and 1 day; \
                dns.servers: "foo" is not an address or address:port; dns.servers: 9 servers, at most 8
                """)
    }

    @Test("getaddrinfo takes no servers")
    func serversOfTheSystem() {
        var settings = DNSSettings.system
        settings.servers = ["10.0.0.2"]
        #expect(throws: InvalidDNSSettings.self) { try Resolver(settings) }
    }

    @Test("Servers are addresses of either family, with port 53 by default")
    func servers() throws {
        var settings = DNSSettings()
        settings.servers = ["10.0.0.2", "127.0.0.1:5353", "::1", "[::1]", "[::1]:5353"]
        let expected = ["10.0.0.2:53", "127.0.0.1:5353", "[::1]:53", "[::1]:53", "[::1]:5353"]
        #expect(try settings.validated().map(\.description) == expected)
        settings.minTTL = DNSSettings.ttlRange.lowerBound
        settings.maxTTL = DNSSettings.ttlRange.upperBound
        settings.stale = .zero
        #expect(try settings.validated().count == 5)
    }
}
