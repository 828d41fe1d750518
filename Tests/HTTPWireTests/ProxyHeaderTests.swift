import HTTPModel
import Testing

@testable import HTTPWire

@Suite("Headers of the PROXY protocol")
struct ProxyHeaderTests {
    typealias Event = ProxyHeaderParser.Event

    static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

    static func binary(_ command: UInt8, _ family: UInt8, _ rest: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? rest.count
        return signature + [command, family, UInt8(length >> 8), UInt8(length & 255)] + rest
    }

    static func client(_ text: String, isSecure: Bool = false) throws -> Event {
        .header(.client(try #require(IPAddress(text)), isSecure: isSecure))
    }

    /// Parses the bytes as a whole and byte by byte, with a request behind them, and checks that all agree.
    static func parse(_ header: [UInt8]) throws -> Event {
        let bytes = header + Array("GET / HTTP/1.1\r\n".utf8)
        var whole = ProxyHeaderParser()
        var used = 0
        let event = bytes.withUnsafeBytes { whole.parse($0, consumed: &used) }
        var pieces = ProxyHeaderParser()
        var count = 0
        var last = Event.needMore
        while last == .needMore, count < bytes.count {
            var one = 0
            last = bytes[count...count].withUnsafeBytes { pieces.parse($0, consumed: &one) }
            count += one
        }
        #expect(last == event)
        #expect(count == used)
        if case .header = event { #expect(used == header.count) }
        return event
    }

    // MARK: Version 1

    @Test(
        "A line of version 1 that is not exactly as specified is malformed",
        arguments: [
            "PROXY \r\n", "PROXY TCP4\r\n", "PROXY TCP4 1.2.3.4 5.6.7.8 1\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 1 2 \r\n",
            "PROXY  TCP4 1.2.3.4 5.6.7.8 1 2\r\n", "PROXY tcp4 1.2.3.4 5.6.7.8 1 2\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r \n", "PROXY TCP4 1.2.3.4 5.6.7.8 01 2\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 65536 2\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 -1 2\r\n", "PROXY TCP4 1.2.3.4 5.6.7.8 1 \r\n",
            "PROXY TCP4 1.2.3 5.6.7.8 1 2\r\n",
            "PROXY TCP4 01.2.3.4 5.6.7.8 1 2\r\n", "PROXY TCP4 ::1 ::1 1 2\r\n",
            "PROXY TCP6 1.2.3.4 5.6.7.8 1 2\r\n",
            "PROXY TCP6 ::1 1.2.3.4 1 2\r\n", "PROXY TCP6 [::1] ::1 1 2\r\n",
            "PROXY TCP6 fe80::1%1 ::1 1 2\r\n",
            "PROXY UDP4 1.2.3.4 5.6.7.8 1 2\r\n", "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\r\n",
            "PROXY UNKNOWNS\r\n", "PROXY \n",
        ])
    func malformedLine(_ line: String) throws {
        #expect(try Self.parse(Array(line.utf8)) == .failed(.malformed))
    }

    @Test("A line of version 1 names the client, or says that it is unknown")
    func lines() throws {
        #expect(
            try Self.parse(Array("PROXY TCP4 203.0.113.9 10.0.0.1 56324 443\r\n".utf8))
                == Self.client("203.0.113.9"))
        #expect(
            try Self.parse(Array("PROXY TCP4 255.255.255.255 0.0.0.0 65535 0\r\n".utf8))
                == Self.client("255.255.255.255"))
        #expect(
            try Self.parse(Array("PROXY TCP6 2001:db8::1 ::1 1 2\r\n".utf8)) == Self.client("2001:db8::1"))
        #expect(
            try Self.parse(Array("PROXY TCP6 ::ffff:203.0.113.9 ::1 1 2\r\n".utf8))
                == Self.client("203.0.113.9"))
        #expect(try Self.parse(Array("PROXY UNKNOWN\r\n".utf8)) == .header(.peer))
        #expect(try Self.parse(Array("PROXY UNKNOWN ffff::1 what ever\r\n".utf8)) == .header(.peer))
    }

    @Test("A line of version 1 has at most 107 bytes")
    func longLine() throws {
        let most = "PROXY UNKNOWN " + String(repeating: "x", count: 91) + "\r\n"
        #expect(most.utf8.count == 107)
        #expect(try Self.parse(Array(most.utf8)) == .header(.peer))
        #expect(
            try Self.parse(Array(("PROXY UNKNOWN " + String(repeating: "x", count: 92) + "\r\n").utf8))
                == .failed(.tooLong))
    }

    @Test(
        "A connection that begins otherwise has no header",
        arguments: [
            "GET / HTTP/1.1\r\n", "PROX", "PROXy ", "PROXY\t", "proxy ", "\n", "\r\r", "\r\nGET",
            "\u{16}\u{3}\u{1}",
        ])
    func missing(_ text: String) throws {
        #expect(try Self.parse(Array(text.utf8)) == .failed(.missing))
    }

    // MARK: Version 2

    private static let ipv4: [UInt8] = [203, 0, 113, 9, 10, 0, 0, 1, 0xdc, 4, 1, 187]
    private static let ipv6: [UInt8] =
        [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [1] + [UInt8](repeating: 0, count: 20)

    @Test("A header of version 2 that is not exactly as specified is malformed")
    func malformedBinary() throws {
        let invalid = [
            // Another version, another command.
            Self.binary(0x11, 0x11, Self.ipv4), Self.binary(0x22, 0x11, Self.ipv4),
            Self.binary(0x31, 0x11, Self.ipv4),
            // Datagrams, unknown families and protocols.
            Self.binary(0x21, 0x12, Self.ipv4), Self.binary(0x21, 0x22, Self.ipv6),
            Self.binary(0x21, 0x10, Self.ipv4),
            Self.binary(0x21, 0x41, Self.ipv4), Self.binary(0x21, 0x01, []), Self.binary(0x21, 0x32, []),
            // Too short for its addresses.
            Self.binary(0x21, 0x11, Array(Self.ipv4.dropLast())), Self.binary(0x21, 0x21, Self.ipv4),
            Self.binary(0x21, 0x31, Self.ipv6), Self.binary(0x21, 0x11, []),
            // Values that do not fill the rest.
            Self.binary(0x21, 0x11, Self.ipv4 + [1]), Self.binary(0x21, 0x11, Self.ipv4 + [1, 0]),
            Self.binary(0x21, 0x11, Self.ipv4 + [1, 0, 2, 7]), Self.binary(0x21, 0x00, [4, 0, 1]),
            // The value about TLS is too short.
            Self.binary(0x21, 0x11, Self.ipv4 + [0x20, 0, 0]),
            Self.binary(0x21, 0x11, Self.ipv4 + [0x20, 0, 4, 1, 0, 0, 0]),
        ]
        for bytes in invalid { #expect(try Self.parse(bytes) == .failed(.malformed), "\(bytes)") }
    }

    @Test("A header of version 2 names the client, and whether it used TLS")
    func binary() throws {
        #expect(try Self.parse(Self.binary(0x21, 0x11, Self.ipv4)) == Self.client("203.0.113.9"))
        #expect(try Self.parse(Self.binary(0x21, 0x21, Self.ipv6)) == Self.client("2001:db8::1"))
        let values: [UInt8] = [2, 0, 1, 97, 4, 0, 0, 0xe0, 0, 3, 1, 2, 3]
        #expect(try Self.parse(Self.binary(0x21, 0x11, Self.ipv4 + values)) == Self.client("203.0.113.9"))
        let plain: [UInt8] = [0x20, 0, 5, 0, 0, 0, 0, 1]
        #expect(try Self.parse(Self.binary(0x21, 0x11, Self.ipv4 + plain)) == Self.client("203.0.113.9"))
        let secure: [UInt8] = [0x20, 0, 9, 1, 0, 0, 0, 0, 0x21, 0, 1, 51]
        #expect(
            try Self.parse(Self.binary(0x21, 0x11, Self.ipv4 + values + secure))
                == Self.client("203.0.113.9", isSecure: true))
    }

    @Test("Without a client, or for the proxy's own connection, the peer stays the client")
    func local() throws {
        #expect(try Self.parse(Self.binary(0x20, 0x00, [])) == .header(.peer))
        // What a LOCAL header has is ignored.
        #expect(try Self.parse(Self.binary(0x20, 0x11, Self.ipv4)) == .header(.peer))
        #expect(try Self.parse(Self.binary(0x20, 0xff, [1, 2, 3])) == .header(.peer))
        #expect(try Self.parse(Self.binary(0x21, 0x00, [])) == .header(.peer))
        #expect(try Self.parse(Self.binary(0x21, 0x31, [UInt8](repeating: 0, count: 216))) == .header(.peer))
    }

    @Test("A header of version 2 has at most 2048 bytes behind its fixed part")
    func longBinary() throws {
        let rest = Self.ipv4 + [0xea, 7, 0xf1] + [UInt8](repeating: 0, count: 2033)
        #expect(rest.count == 2048)
        #expect(try Self.parse(Self.binary(0x21, 0x11, rest)) == Self.client("203.0.113.9"))
        #expect(try Self.parse(Self.binary(0x21, 0x11, rest, length: 2049)) == .failed(.tooLong))
        #expect(try Self.parse(Self.binary(0x20, 0x00, [], length: 65535)) == .failed(.tooLong))
    }

    @Test("A signature that breaks off has no header")
    func signature() throws {
        for count in 1..<12 {
            #expect(try Self.parse(Array(Self.signature[..<count])) == .failed(.missing), "\(count)")
        }
    }
}
