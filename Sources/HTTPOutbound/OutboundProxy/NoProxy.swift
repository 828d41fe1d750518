import ASCIIText
import HTTPModel

/// The hosts reached without a proxy, separated by commas or blanks, in curl's syntax and its common
/// extensions.
///
/// Each entry is `*` for all hosts; a name, with or without a leading dot or `*.`, for itself and its
/// subdomains; an IP address, with or without brackets; or a range of addresses, `10.0.0.0/8`. An entry with
/// a port, `example.com:8080`, covers only that port. Names are ASCII (others as `xn--`). Case and a final
/// dot do not matter.
public struct NoProxy: Sendable, Hashable {
    private enum Hosts: Sendable, Hashable {
        case all
        case name(String)
        case addresses(IPNetwork)
    }

    private struct Entry: Sendable, Hashable {
        let hosts: Hosts
        let port: UInt16?

        var text: String {
            let host =
                switch hosts {
                case .all: "*"
                case .name(let name): name
                case .addresses(let network): network.description
                }
            guard let port else { return host }
            return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    private let entries: [Entry]

    /// The entries, in their order and in lower case.
    package var texts: [String] { entries.map(\.text) }

    /// Contains no host.
    public init() { entries = [] }

    /// Parses a list.
    ///
    /// - Throws: for an invalid entry, which the description names.
    public init(_ text: String) throws(OutboundProxy.Failure) {
        var skipped: [String] = []
        self.init(text, skipped: &skipped)
        if let first = skipped.first { throw Self.failure(first) }
    }

    /// Parses a list, and appends invalid entries to `skipped`.
    init(_ text: String, skipped: inout [String]) {
        var entries: [Entry] = []
        // Split as bytes: a comma followed by a combining mark is a different Character.
        for part in text.utf8.split(whereSeparator: { ", \t".utf8.contains($0) }).map({ Substring($0) }) {
            if part.utf8.allSatisfy({ $0 < 0x80 }), let entry = Self.entry(part) {
                entries.append(entry)
            } else {
                skipped.append(String(part))
            }
        }
        self.entries = entries
    }

    package static func failure(_ entry: String) -> OutboundProxy.Failure {
        OutboundProxy.Failure(
            description: "'\(entry)' is not a name, an address or a range of addresses")
    }

    /// Returns whether this host, a name or a numeric address without brackets, is reached without a proxy.
    public func contains(host: String, port: UInt16) -> Bool {
        guard !entries.isEmpty else { return false }
        let name = Self.normalized(host[...])
        let address = IPAddress(host)
        return entries.contains { entry in
            guard entry.port == nil || entry.port == port else { return false }
            switch entry.hosts {
            case .all: return true
            // Addresses have no subdomains.
            case .name(let suffix):
                return name == suffix || address == nil && name.hasSuffix(".\(suffix)")
            case .addresses(let network):
                return address.map { network.contains($0) } ?? false
            }
        }
    }

    private static func entry(_ part: Substring) -> Entry? {
        if part.contains("/") {
            return IPNetwork(part).map { Entry(hosts: .addresses($0), port: nil) }
        }
        var (host, port) = (part, UInt16?.none)
        // A single colon precedes a port. More colons belong to an IPv6 address; its port follows a bracket.
        if let colon = part.lastIndex(of: ":"),
            part.firstIndex(of: ":") == colon || part[..<colon].hasSuffix("]")
        {
            guard let digits = number(part[part.index(after: colon)...], upTo: 65_535), digits > 0 else {
                return nil
            }
            (host, port) = (part[..<colon], UInt16(digits))
        }
        if host == "*" { return Entry(hosts: .all, port: port) }
        if let network = IPNetwork(host) { return Entry(hosts: .addresses(network), port: port) }
        if host.hasPrefix("*.") { host = host.dropFirst() }
        if host.hasPrefix(".") { host = host.dropFirst() }
        let name = normalized(host)
        guard !name.isEmpty, !name.hasPrefix("."), !name.contains(where: { "*[]:%".contains($0) }) else {
            return nil
        }
        return Entry(hosts: .name(name), port: port)
    }

    private static func normalized(_ name: Substring) -> String {
        HostName.withoutFinalDot(String(name)).lowercased()
    }

    private static func number(_ text: Substring, upTo limit: Int) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text), number <= limit
        else { return nil }
        return number
    }
}
