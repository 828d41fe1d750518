import ASCIIText

/// What a proxy says of the client of its request.
enum ForwardedNode: Equatable {
    case address(IPAddress)
    /// `unknown`, an obfuscated identifier such as `_hidden`, or nothing.
    case hidden
    case malformed

    /// Parses an address, which may have a port, and then brackets if it is IPv6. `::ffff:192.0.2.1` is an
    /// IPv4 address.
    init(_ bytes: ArraySlice<UInt8>) {
        guard let address = Self.address(bytes) else {
            self = .malformed
            return
        }
        self = .address(address.unmapped)
    }

    /// Parses a node of `Forwarded` (RFC 7239 6).
    init(forwarded bytes: ArraySlice<UInt8>) {
        let (name, port) = Self.split(bytes)
        let isUnknown = name.withUnsafeBytes { ASCII.equals($0, lowercase: "unknown") }
        guard isUnknown || Self.isObfuscated(name) else {
            // An obfuscated port hides nothing else.
            self = ForwardedNode(port.map(Self.isObfuscated) == true ? name : bytes)
            return
        }
        self = port.map { Self.isPort($0) || Self.isObfuscated($0) } != false ? .hidden : .malformed
    }

    private static func address(_ bytes: ArraySlice<UInt8>) -> IPAddress? {
        if let address = IPAddress(bytes: bytes) { return address }
        let (host, port) = split(bytes)
        guard port.map(isPort) != false else { return nil }
        guard host.first == Byte.openBracket, host.last == Byte.closeBracket else {
            // Only an IPv4 address has a port without brackets around the address.
            return IPAddress(bytes: host).flatMap { $0.isIPv4 ? $0 : nil }
        }
        return IPAddress(bytes: host.dropFirst().dropLast()).flatMap { $0.isIPv4 ? nil : $0 }
    }

    /// Cuts at the colon before a port, if there is one.
    private static func split(_ bytes: ArraySlice<UInt8>) -> (
        host: ArraySlice<UInt8>, port: ArraySlice<UInt8>?
    ) {
        guard let colon = bytes.lastIndex(of: Byte.colon), bytes.last != Byte.closeBracket else {
            return (bytes, nil)
        }
        return (bytes[..<colon], bytes[(colon + 1)...])
    }

    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        (1...5).contains(bytes.count) && bytes.allSatisfy(ASCII.isDigit)
            && bytes.reduce(0) { $0 * 10 + Int($1 - Byte.zero) } <= 65_535
    }

    private static func isObfuscated(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count > 1 && bytes.first == UInt8(ascii: "_")
            && bytes.allSatisfy { byte in
                ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_")
                    || byte == Byte.minus || byte == Byte.point
            }
    }
}

/// What one proxy says of a request.
struct ForwardedElement: Equatable {
    var node: ForwardedNode
    var scheme: String?
    var host: String?

    init(_ node: ForwardedNode) { self.node = node }

    /// Parses an element of `Forwarded` (RFC 7239 4); nil for anything else.
    init?(forwarded bytes: ArraySlice<UInt8>) {
        var scanner = ParameterScanner(bytes)
        var names: Set<String> = []
        var node = ForwardedNode.hidden
        repeat {
            // A pair may be missing between two semicolons.
            guard let name = scanner.token()?.lowercased() else { continue }
            guard names.insert(name).inserted, scanner.skip(Byte.equals), let value = scanner.tokenOrQuoted()
            else { return nil }
            switch name {
            case "for": node = ForwardedNode(forwarded: ArraySlice(value.utf8))
            case "proto": scheme = ForwardedClient.scheme(ArraySlice(value.utf8))
            case "host": host = ForwardedClient.host(ArraySlice(value.utf8))
            default: break
            }
        } while scanner.skipSemicolon()
        guard scanner.isAtEnd, !names.isEmpty else { return nil }
        self.node = node
    }
}

/// The elements of `Forwarded`, from the right: the nearest proxy's first.
///
/// A client can put an open quote into the part that it wrote itself. So an element begins at the last comma
/// behind which everything is well-formed, and does not depend on what is before it.
struct ForwardedElements {
    /// Bytes of one element. A longer one is malformed.
    static let longest = 512

    private var lines: [ArraySlice<UInt8>]

    init(_ fields: HTTPFields) { lines = fields.valueBytes(of: .forwarded) }

    /// Returns nil at the end. After a malformed element nothing can be read.
    mutating func next() -> ForwardedElement? {
        while let line = lines.popLast() {
            let line = line.trimmingBlanks
            if line.isEmpty { continue }
            if line.last == Byte.comma {
                lines.append(line.dropLast())
                continue
            }
            return read(line)
        }
        return nil
    }

    private mutating func read(_ line: ArraySlice<UInt8>) -> ForwardedElement {
        var end = line.endIndex
        while let start = line[..<end].lastIndex(of: Byte.comma) {
            let text = line[(start + 1)...]
            guard text.count <= Self.longest else { return ForwardedElement(.malformed) }
            if let element = ForwardedElement(forwarded: text) {
                lines.append(line[..<start])
                return element
            }
            end = start
        }
        guard line.count <= Self.longest else { return ForwardedElement(.malformed) }
        return ForwardedElement(forwarded: line) ?? ForwardedElement(.malformed)
    }
}

/// The elements of `X-Forwarded-For`, from the right.
struct ForwardedAddresses {
    private var lines: [ArraySlice<UInt8>]

    init(_ fields: HTTPFields) { lines = fields.valueBytes(of: .xForwardedFor) }

    mutating func next() -> ForwardedElement? {
        while let line = lines.popLast() {
            let comma = line.lastIndex(of: Byte.comma)
            if let comma { lines.append(line[..<comma]) }
            let text = line[(comma.map { $0 + 1 } ?? line.startIndex)...].trimmingBlanks
            // RFC 9110 5.6.1.2: empty elements do not count.
            if !text.isEmpty { return ForwardedElement(ForwardedNode(text)) }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// Without the blanks around them.
    var trimmingBlanks: ArraySlice<UInt8> {
        var rest = drop(while: ASCII.isBlank)
        while let last = rest.last, ASCII.isBlank(last) { rest.removeLast() }
        return rest
    }
}
