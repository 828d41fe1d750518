import Testing

@testable import HTTPModel

@Suite("IP addresses and networks")
struct IPAddressTests {
    @Test(
        "What is not an address is refused",
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", "1.2.3.4:80", ":", ":::",
            "1::2::3",
            "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "fe80::1%eth0", "[::1]",
            "::1.2.3",
            "::1.2.3.4.5", "1:2:3:4:5:6:7:1.2.3.4", "localhost", "::g", "1:", ":1",
        ])
    func invalid(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        "An address is written as RFC 5952 has it",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("::", "::"), ("::1", "::1"), ("1::", "1::"),
            ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("::ffff:1.2.3.4", "::ffff:1.2.3.4"), ("::ffff:102:304", "::ffff:1.2.3.4"),
            ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
            ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
            ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ])
    func text(_ text: String, _ expected: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == expected)
        #expect(IPAddress(expected) == address)
    }

    @Test("An IPv4 address that IPv6 maps is that address once it is unmapped, and no other changes")
    func unmapped() throws {
        let ipv4 = try #require(IPAddress("1.2.3.4"))
        #expect(IPAddress("::ffff:1.2.3.4") != ipv4)
        #expect(IPAddress("::ffff:1.2.3.4")?.unmapped == ipv4)
        for text in ["1.2.3.4", "::1.2.3.4", "::fffe:1.2.3.4", "1::ffff:1.2.3.4", "::1"] {
            #expect(IPAddress(text)?.unmapped == IPAddress(text))
        }
    }

    @Test(
        "What is not a network is refused",
        arguments: [
            "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
            "10.0.0.0/0x8", "10.0.0.0/ 8", "10.0.0/8", "[::1", "::1]", "a/8", "10.0.0.0/0008",
        ])
    func invalidNetwork(_ text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test(
        "A network contains the addresses of its own family with the same prefix",
        arguments: [
            (
                "10.0.0.0/8", ["10.0.0.0", "10.255.255.255"],
                ["9.255.255.255", "11.0.0.0", "::ffff:10.0.0.1", "::a00:1"]
            ),
            ("192.168.1.128/25", ["192.168.1.128", "192.168.1.255"], ["192.168.1.127", "192.168.2.128"]),
            ("1.2.3.4", ["1.2.3.4"], ["1.2.3.5"]), ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::"]),
            ("[2001:db8::]/33", ["2001:db8:7fff::1"], ["2001:db8:8000::"]),
            ("::/0", ["::", "ffff::"], ["1.2.3.4"]),
            ("::1", ["::1"], ["::2", "::"]),
        ])
    func contains(_ text: String, _ inside: [String], _ outside: [String]) throws {
        let network = try #require(IPNetwork(text))
        for address in inside { #expect(IPAddress(address).map(network.contains) == true, "\(address)") }
        for address in outside { #expect(IPAddress(address).map(network.contains) == false, "\(address)") }
    }

    @Test(
        "An entry of trusted proxies that cannot be meant is refused, and the reason names it",
        arguments: [
            ("", "'' is not a network such as 10.0.0.0/8, an address, private or loopback"),
            (
                "proxy.internal",
                "'proxy.internal' is not a network such as 10.0.0.0/8, an address, private or loopback"
            ),
            ("10.1.0.0/8", "'10.1.0.0/8' has bits behind its prefix; the network is 10.0.0.0/8"),
            ("2001:db8::1/64", "'2001:db8::1/64' has bits behind its prefix; the network is 2001:db8::/64"),
            ("::ffff:10.0.0.0/104", "'::ffff:10.0.0.0/104' is an IPv4 address; write it without ::ffff:"),
        ])
    func invalidProxies(_ entry: String, _ reason: String) {
        let failure = #expect(throws: TrustedProxies.Failure.self) {
            try TrustedProxies(["10.0.0.0/8", entry])
        }
        #expect(failure?.description == reason)
    }

    @Test("Trusted proxies are networks, addresses, and the words private and loopback, 256 at most")
    func proxies() throws {
        let trusted = try TrustedProxies(["203.0.113.0/24", "private", "loopback", "2001:db8::7"])
        for text in [
            "203.0.113.9", "10.1.2.3", "172.31.0.1", "192.168.0.1", "fd00::1", "127.0.0.9", "::1",
            "2001:db8::7",
        ] {
            #expect(IPAddress(text).map(trusted.contains) == true, "\(text)")
        }
        for text in ["203.0.114.9", "172.32.0.1", "192.169.0.1", "fe80::1", "2001:db8::8", "169.254.0.1"] {
            #expect(IPAddress(text).map(trusted.contains) == false, "\(text)")
        }
        #expect(TrustedProxies().description == "none")
        #expect(try TrustedProxies(["10.0.0.0/8", "::1"]).description == "10.0.0.0/8, ::1")
        let many = (0..<256).map { "10.0.0.\($0)" }
        #expect(try TrustedProxies(many).networks.count == 256)
        #expect(throws: TrustedProxies.Failure.self) { try TrustedProxies(many + ["::1"]) }
    }
}
