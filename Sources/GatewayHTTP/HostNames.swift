import ASCIIText
import GatewayCore
import HTTPModel

/// The names that clients reach a gateway by: those that the `Host` of a request may have, its port aside.
///
///     configuration.hosts = try HostNames(["app.example.com", "*.example.org"])
///
/// A page of `evil.example` whose name is made to resolve to the gateway's address (DNS rebinding) counts as of the same
/// origin for a browser, which lets it read what the gateway answers; but its requests name `evil.example`. IP addresses
/// always pass, as no name resolves to a gateway under them.
public struct HostNames: Sendable, Hashable {
    /// A text that is not the name of a host.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String
    }

    /// Nil: any name.
    private let own: Own?

    fileprivate struct Own: Sendable, Hashable {
        /// In lower case, without a dot at the end.
        var names: [[UInt8]] = []
        /// What follows the asterisk: `.example.com`.
        var suffixes: [[UInt8]] = []
    }

    /// Every name: for a gateway that is meant to be reached by whoever knows its address.
    public static let any = HostNames(own: nil)
    /// `localhost` alone: what is used on a loopback address.
    public static let localhost = HostNames(own: Own(names: [Array("localhost".utf8)]))

    private init(own: Own?) {
        self.own = own
    }

    /// - Parameter names: `localhost`, `app.example.com`, `*.example.com` for one or more labels before `.example.com`, or
    ///   `any` alone. Case does not matter.
    public init(_ names: [String]) throws(Fault) {
        if names == ["any"] {
            self = .any
            return
        }
        guard !names.isEmpty else { throw Fault(description: "there is no host name") }
        var own = Own()
        for name in names {
            if name == "any" { throw Fault(description: "'any' stands alone") }
            try own.add(name)
        }
        self.own = own
    }

    /// Whether the host of an authority (`host[:port]`) is one of the names, or an IP address.
    func allows(_ authority: ArraySlice<UInt8>) -> Bool {
        guard let own else { return true }
        return authority.withUnsafeBytes { bytes in
            guard let end = Authority.hostEnd(in: bytes) else { return false }
            let host = UnsafeRawBufferPointer(rebasing: bytes[..<end])
            // `hostEnd` has checked what is in the brackets.
            return host.first == UInt8(ascii: "[") || IPv4Text.isValid(host) || own.contains(host)
        }
    }

    /// The host of an authority, for a message: without the port, at most 100 bytes.
    static func shown(_ authority: ArraySlice<UInt8>) -> String {
        let end = authority.withUnsafeBytes { Authority.hostEnd(in: $0) } ?? authority.count
        let host = String(decoding: authority.prefix(end).prefix(100), as: UTF8.self)
        return end > 100 ? "\(host)..." : host
    }
}

extension HostNames.Own {
    func contains(_ host: UnsafeRawBufferPointer) -> Bool {
        // A dot at the end only says that the name is absolute.
        let dots = host.last == UInt8(ascii: ".") ? 1 : 0
        let host = UnsafeRawBufferPointer(rebasing: host.dropLast(dots))
        for name in names where name.withUnsafeBytes({ ASCII.equalsIgnoringCase(host, $0) }) { return true }
        for suffix in suffixes where host.count > suffix.count {
            let end = UnsafeRawBufferPointer(rebasing: host.suffix(suffix.count))
            if suffix.withUnsafeBytes({ ASCII.equalsIgnoringCase(end, $0) }) { return true }
        }
        return false
    }

    mutating func add(_ text: String) throws(HostNames.Fault) {
        var bytes = text.utf8.map(ASCII.lowercased)
        if Self.isAddress(bytes) { return }
        let isWildcard = bytes.starts(with: Array("*.".utf8))
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        let name = bytes.dropFirst(isWildcard ? 2 : 0)
        guard Self.isName(name) else {
            throw HostNames.Fault(
                description: "'\(text)' is not a host name such as app.example.com or *.example.com")
        }
        if isWildcard { suffixes.append(Array(bytes.dropFirst())) } else { names.append(bytes) }
    }

    /// An address passes without being listed.
    private static func isAddress(_ bytes: [UInt8]) -> Bool {
        let isBracketed = bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]")
        return bytes.withUnsafeBytes { bytes in
            let inner = UnsafeRawBufferPointer(
                rebasing: isBracketed ? bytes.dropFirst().dropLast() : bytes[...])
            return IPv6Text.isValid(inner) || (!isBracketed && IPv4Text.isValid(inner))
        }
    }

    /// Labels of 1 to 63 letters, digits, `-` and `_`, 253 bytes in all (RFC 1123 2.1). The last label has a character
    /// besides digits: else browsers read the name as an IPv4 address.
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

/// The check of one loop's requests. Confined to the loop.
struct HostCheck {
    private let names: HostNames
    /// The `Host` that was accepted last, and its index among the fields: nearly all requests have the same.
    private var last: [UInt8] = []
    private var lastIndex = 0

    /// Nil where every name passes, so that nothing is looked at.
    init?(_ names: HostNames) {
        guard names != .any else { return nil }
        self.names = names
    }

    mutating func check(_ head: HTTPRequestHead) throws(GatewayError) {
        // A request has one Host at most: a parser refuses a second one.
        if head.target.form == .origin, head.fields.isHost(at: lastIndex, last) { return }
        try checkAnew(head)
    }

    @inline(never)
    private mutating func checkAnew(_ head: HTTPRequestHead) throws(GatewayError) {
        // HTTP/1.0 may go without a Host; then there is no foreign name either.
        guard let authority = head.authorityBytes else { return }
        guard names.allows(authority) else {
            throw GatewayError(
                .misdirected, "this gateway does not answer for '\(HostNames.shown(authority))'")
        }
        guard head.target.form == .origin, let index = head.fields.firstIndex(of: .host) else { return }
        lastIndex = index
        last.removeAll(keepingCapacity: true)
        last.append(contentsOf: authority)
    }
}
