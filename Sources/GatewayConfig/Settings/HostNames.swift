import ASCIIText
import HTTPModel

/// The host names allowed in a request's `Host`, with any port.
///
///     configuration.hosts = try HostNames(["app.example.com", "*.example.org"])
///
/// They protect against DNS rebinding: if `evil.example` is made to resolve to the gateway's address, a
/// browser would let its pages read the gateway's answers, but their requests name `evil.example`. IP
/// addresses are always allowed.
public struct HostNames: Sendable, Hashable {
    /// Why a list of names is invalid.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong, in words.
        public let description: String
    }

    /// Nil allows any name.
    private let allowed: AllowedNames?

    fileprivate struct AllowedNames: Sendable, Hashable {
        /// In lower case, without a final dot.
        var names: [[UInt8]] = []
        /// The parts after an asterisk: `.example.com`.
        var suffixes: [[UInt8]] = []
    }

    /// Any name, for a gateway open to anyone who knows its address.
    public static let any = HostNames(allowed: nil)
    /// `localhost` only: the default on a loopback address.
    public static let localhost = HostNames(allowed: AllowedNames(names: [Array("localhost".utf8)]))

    private init(allowed: AllowedNames?) {
        self.allowed = allowed
    }

    /// - Parameter names: `localhost`, `app.example.com`, `*.example.com` for one or more labels before
    ///   `.example.com`, or only `any`. Case does not matter.
    public init(_ names: [String]) throws(Fault) {
        if names == ["any"] {
            self = .any
            return
        }
        guard !names.isEmpty else { throw Fault(description: "the list of host names is empty") }
        var allowed = AllowedNames()
        for name in names {
            if name == "any" { throw Fault(description: "'any' must be the only host name") }
            try allowed.add(name)
        }
        self.allowed = allowed
    }

    /// Whether the host of an authority (`host[:port]`) is one of the names, or an IP address.
    package func allows(_ authority: ArraySlice<UInt8>) -> Bool {
        guard let allowed else { return true }
        return authority.withUnsafeBytes { bytes in
            guard let end = Authority.hostEnd(in: bytes) else { return false }
            let host = UnsafeRawBufferPointer(rebasing: bytes[..<end])
            // `hostEnd` has validated the address in brackets.
            return host.first == UInt8(ascii: "[") || IPv4Text.isValid(host) || allowed.contains(host)
        }
    }

    /// The names as they were given, in lower case; nil if any name is allowed.
    package var names: [String]? {
        allowed.map { allowed in
            allowed.names.map { String(decoding: $0, as: UTF8.self) }
                + allowed.suffixes.map { "*" + String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Returns the host of an authority for a message: without the port, at most 100 bytes.
    package static func shown(_ authority: ArraySlice<UInt8>) -> String {
        let end = authority.withUnsafeBytes { Authority.hostEnd(in: $0) } ?? authority.count
        let host = String(decoding: authority.prefix(end).prefix(100), as: UTF8.self)
        return end > 100 ? "\(host)..." : host
    }
}

extension HostNames.AllowedNames {
    func contains(_ host: UnsafeRawBufferPointer) -> Bool {
        let host = HostName.withoutFinalDot(host)
        for name in names where name.withUnsafeBytes({ ASCII.equalsIgnoringCase(host, $0) }) { return true }
        for suffix in suffixes where host.count > suffix.count {
            let end = UnsafeRawBufferPointer(rebasing: host.suffix(suffix.count))
            if suffix.withUnsafeBytes({ ASCII.equalsIgnoringCase(end, $0) }) { return true }
        }
        return false
    }

    mutating func add(_ text: String) throws(HostNames.Fault) {
        if Self.isAddress(text.utf8.map(ASCII.lowercased)) { return }
        let bytes = HostName.withoutFinalDot(text).utf8.map(ASCII.lowercased)
        let isWildcard = bytes.starts(with: Array("*.".utf8))
        let name = bytes.dropFirst(isWildcard ? 2 : 0)
        guard Self.isName(name) else {
            throw HostNames.Fault(
                description: "'\(text)' is not a host name such as app.example.com or *.example.com")
        }
        if isWildcard { suffixes.append(Array(bytes.dropFirst())) } else { names.append(bytes) }
    }

    /// Addresses are allowed without being listed.
    private static func isAddress(_ bytes: [UInt8]) -> Bool {
        let isBracketed = bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]")
        return bytes.withUnsafeBytes { bytes in
            let inner = UnsafeRawBufferPointer(
                rebasing: isBracketed ? bytes.dropFirst().dropLast() : bytes[...])
            return IPv6Text.isValid(inner) || (!isBracketed && IPv4Text.isValid(inner))
        }
    }

    /// Whether the name consists of labels of 1 to 63 letters, digits, `-` and `_`, 253 bytes in all (RFC
    /// 1123 2.1). The last label must not be all digits: browsers would read the name as an IPv4 address.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard bytes.count <= 253, let last = labels.last, !last.allSatisfy(ASCII.isDigit) else {
            return false
        }
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
                && label.last != UInt8(ascii: "-")
                && label.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || ASCII.isDigit(byte)
                        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                }
        }
    }
}
