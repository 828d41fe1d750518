import ASCIIText
public import HTTPModel

/// What a header of the PROXY protocol tells about its connection
/// (https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt).
public enum ProxyHeader: Equatable, Sendable {
    /// The proxy speaks for itself, or does not know the client: the peer is the client.
    case peer
    /// The client's address, and whether the client reached the proxy by TLS.
    case client(IPAddress, isSecure: Bool)
}

/// Why a connection does not begin with a header of the PROXY protocol.
public enum ProxyHeaderFault: String, Sendable {
    /// It begins with something else, such as a request.
    case missing
    case malformed
    case tooLong = "too_long"
    /// It did not arrive in time.
    case timeout
}

/// Parses the header of the PROXY protocol, version 1 or 2, that begins a connection. Strict: a header that
/// is not exactly as its specification has it is malformed.
public struct ProxyHeaderParser {
    /// What the bytes so far are.
    public enum Event: Equatable {
        case needMore
        case header(ProxyHeader)
        case failed(ProxyHeaderFault)
    }

    /// Bytes of version 1, with its line break (2.1).
    static let longestLine = 107
    /// Bytes behind the fixed part of version 2: addresses and additional values. Enough for the names and
    /// certificates' subjects that proxies send.
    static let longestRest = 2048

    private static let line = Array("PROXY ".utf8)
    private static let signature: [UInt8] = [
        0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a,
    ]
    private static let fixedPart = 16

    private var received: [UInt8] = []
    /// The whole length of a header of version 2, once it is known.
    private var length = Int.max

    /// Creates a parser at the beginning of a connection.
    public init() {}

    /// Whether a header begins with these bytes, of which there are enough to tell it from anything else.
    static func isHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: line) || bytes.starts(with: signature)
    }

    /// Whether any byte has arrived.
    public var hasStarted: Bool { !received.isEmpty }

    /// Reads no further than the end of the header. Call it no more after a header or a failure.
    public mutating func parse(_ input: UnsafeRawBufferPointer, consumed: inout Int) -> Event {
        while consumed < input.count {
            received.append(input[consumed])
            consumed += 1
            let event = received[0] == Self.signature[0] ? binaryByteReceived() : textByteReceived()
            if event != .needMore { return event }
        }
        return .needMore
    }

    // MARK: Version 1

    private func textByteReceived() -> Event {
        let last = received.count - 1
        if last < Self.line.count {
            return received[last] == Self.line[last] ? .needMore : .failed(.missing)
        }
        if received[last] == Byte.lineFeed {
            return readLine().map { .header($0) } ?? .failed(.malformed)
        }
        return received.count < Self.longestLine ? .needMore : .failed(.tooLong)
    }

    /// `PROXY TCP4 192.0.2.1 198.51.100.1 56324 443`
    private func readLine() -> ProxyHeader? {
        guard received.dropLast().last == Byte.carriageReturn else { return nil }
        let words = received.dropLast(2).split(separator: Byte.space, omittingEmptySubsequences: false)
        // The rest of this line has to be ignored (2.1).
        if words[1].elementsEqual("UNKNOWN".utf8) { return .peer }
        let isIPv4 = words[1].elementsEqual("TCP4".utf8)
        guard isIPv4 || words[1].elementsEqual("TCP6".utf8), words.count == 6,
            let client = IPAddress(bytes: words[2]), client.isIPv4 == isIPv4,
            IPAddress(bytes: words[3])?.isIPv4 == isIPv4,
            Self.isPort(words[4]), Self.isPort(words[5])
        else { return nil }
        return .client(client.unmapped, isSecure: false)
    }

    private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
        (1...5).contains(digits.count) && digits.allSatisfy(ASCII.isDigit)
            && (digits.count == 1 || digits.first != Byte.zero)
            && digits.reduce(0) { $0 * 10 + Int($1 - Byte.zero) } <= 65_535
    }

    // MARK: Version 2

    /// Who the header is about.
    private enum Family: UInt8 {
        case unspecified = 0x00
        case ipv4 = 0x11
        case ipv6 = 0x21
        case unix = 0x31

        var addressBytes: Int {
            switch self {
            case .unspecified: 0
            case .ipv4: 12
            case .ipv6: 36
            case .unix: 216
            }
        }
    }

    private var isLocal: Bool { received[12] == 0x20 }

    private mutating func binaryByteReceived() -> Event {
        switch received.count {
        case 1...Self.signature.count:
            let last = received.count - 1
            return received[last] == Self.signature[last] ? .needMore : .failed(.missing)
        case 13:
            // Version 2, LOCAL or PROXY.
            return received[12] == 0x20 || received[12] == 0x21 ? .needMore : .failed(.malformed)
        case Self.fixedPart:
            let rest = Int(received[14]) << 8 | Int(received[15])
            guard rest <= Self.longestRest else { return .failed(.tooLong) }
            length = Self.fixedPart + rest
        default: break
        }
        guard received.count == length else { return .needMore }
        return readRest().map { .header($0) } ?? .failed(.malformed)
    }

    private func readRest() -> ProxyHeader? {
        // The rest of this header has to be ignored (2.2).
        if isLocal { return .peer }
        // Datagrams cannot be proxied over a stream.
        guard let family = Family(rawValue: received[13]) else { return nil }
        let rest = received[Self.fixedPart...]
        guard rest.count >= family.addressBytes,
            let isSecure = Self.isSecure(rest.dropFirst(family.addressBytes))
        else { return nil }
        switch family {
        case .unspecified, .unix: return .peer
        case .ipv4:
            let bits = Self.number(rest.prefix(4))
            return .client(IPAddress(ipv4: UInt32(truncatingIfNeeded: bits)), isSecure: isSecure)
        case .ipv6: return .client(IPAddress(ipv6: Self.number(rest.prefix(16))).unmapped, isSecure: isSecure)
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt128 {
        bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// Reads the additional values (2.2.1 to 2.2.6). Returns whether one of them says that the client used
    /// TLS; nil if they do not fill the rest.
    private static func isSecure(_ values: ArraySlice<UInt8>) -> Bool? {
        let tls: UInt8 = 0x20
        var isSecure = false
        var rest = values
        while let type = rest.popFirst() {
            guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
            let count = Int(high) << 8 | Int(low)
            guard rest.count >= count else { return nil }
            let value = rest.prefix(count)
            rest = rest.dropFirst(count)
            guard type == tls else { continue }
            // client (1 byte), verify (4 bytes), further values.
            guard let client = value.first, count >= 5 else { return nil }
            if client & 1 != 0 { isSecure = true }
        }
        return isSecure
    }
}
