import HTTPModel
import Networking

extension RelayedCall {
    /// The fields of a response whose addresses are mapped.
    static let addressFields: [HTTPFieldName] = [.location, .contentLocation, .link]

    /// Makes the upstream's addresses in the fields of its response addresses of the gateway. What leads to
    /// an address that the gateway does not have is left out: the client could not use it, and it might tell
    /// the name of an internal host.
    func mapAddresses(in fields: inout HTTPFields, by proxies: ProxyTable) {
        for name in [HTTPFieldName.location, .contentLocation] {
            guard let value = fields.firstValueBytes(name) else { continue }
            let address = address(value, by: proxies)
            fields.remove(name)
            if let address { fields.append(name, bytes: address) }
        }
        let links = fields.valueBytes(of: .link)
        let mapped = links.map { value in LinkField.mapping(value) { address($0, by: proxies) } }
        guard mapped != links else { return }
        fields.remove(.link)
        for value in mapped where !value.isEmpty { fields.append(.link, bytes: value) }
    }

    /// Returns the address for the client; nil to leave it out.
    ///
    /// A URL of the upstream itself becomes a path below the same endpoint, or below another proxy of the
    /// upstream. Other URLs pass as they are.
    private func address(_ value: ArraySlice<UInt8>, by proxies: ProxyTable) -> ArraySlice<UInt8>? {
        guard let upstream = call.upstream else { return nil }
        switch UpstreamReference(value, of: upstream) {
        case .elsewhere: return value
        case .relative: return relative(value, of: upstream, by: proxies) ?? value
        case .own(let path): return publicPath(of: path, at: upstream, by: proxies)
        case .unreadable: return nil
        }
    }

    private func publicPath(
        of path: [UInt8], at upstream: Upstream, by proxies: ProxyTable
    ) -> ArraySlice<UInt8>? {
        paths?.publicPath(of: path) ?? proxies.publicPath(of: path, at: upstream)
    }

    /// Returns the gateway's path for a path relative to the upstream's; nil if it leads to the same from the
    /// client's path, or if the gateway has none.
    private func relative(
        _ value: ArraySlice<UInt8>, of upstream: Upstream, by proxies: ProxyTable
    ) -> ArraySlice<UInt8>? {
        guard let first = value.first, first != UInt8(ascii: "?"), first != UInt8(ascii: "#") else {
            return nil
        }
        let text = String(decoding: value, as: UTF8.self).lowercased()
        // Below its prefixes, a proxy has the same paths on both sides.
        let staysBelow = !text.contains("..") && !text.contains("%2e")
        if let paths, !paths.isFixed, staysBelow { return nil }
        guard let path = call.path, case .own(let found) = UpstreamReference(value, of: upstream, from: path)
        else { return nil }
        return publicPath(of: found, at: upstream, by: proxies)
    }
}

/// The addresses in a value of Link (RFC 8288 3).
enum LinkField {
    typealias Mapping = (ArraySlice<UInt8>) -> ArraySlice<UInt8>?

    /// Returns the value with the mapped targets and anchors of its links, without the links for which `map`
    /// returns nil. What is not a link stays as it is.
    static func mapping(_ value: ArraySlice<UInt8>, _ map: Mapping) -> ArraySlice<UInt8> {
        let links = split(value, at: UInt8(ascii: ",")).map(trimmed)
        let mapped = links.map { link in self.link(link, map) }
        guard mapped != links.map(Optional.some) else { return value }
        return ArraySlice(mapped.compactMap { $0 }.joined(separator: Array(", ".utf8)))
    }

    private static func link(_ link: ArraySlice<UInt8>, _ map: Mapping) -> ArraySlice<UInt8>? {
        guard link.first == UInt8(ascii: "<"), let end = link.firstIndex(of: UInt8(ascii: ">")) else {
            return link
        }
        guard let target = map(link[(link.startIndex + 1)..<end]) else { return nil }
        var mapped = [UInt8(ascii: "<")] + target
        for (index, parameter) in split(link[end...], at: UInt8(ascii: ";")).enumerated() {
            if index > 0 { mapped.append(UInt8(ascii: ";")) }
            guard let anchor = anchor(of: parameter) else {
                mapped += parameter
                continue
            }
            guard let address = map(parameter[anchor]) else { return nil }
            mapped += parameter[..<anchor.lowerBound] + address + parameter[anchor.upperBound...]
        }
        return mapped[...]
    }

    /// The place of the address in the parameter `anchor="address"`; nil for any other parameter.
    private static func anchor(of parameter: ArraySlice<UInt8>) -> Range<Int>? {
        guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = String(decoding: trimmed(parameter[..<equals]), as: UTF8.self)
        guard name.lowercased() == "anchor" else { return nil }
        let value = trimmed(parameter[(equals + 1)...])
        guard value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") else {
            return value.startIndex..<value.endIndex
        }
        return (value.startIndex + 1)..<(value.endIndex - 1)
    }

    /// Splits at a separator outside angle brackets and quoted strings.
    private static func split(_ value: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start = value.startIndex
        var closing: UInt8?
        var isEscaped = false
        for index in value.indices {
            let byte = value[index]
            if let end = closing {
                // Only quoted strings have escapes.
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\"), end == UInt8(ascii: "\"") {
                    isEscaped = true
                } else if byte == end {
                    closing = nil
                }
            } else if byte == UInt8(ascii: "<") {
                closing = UInt8(ascii: ">")
            } else if byte == UInt8(ascii: "\"") {
                closing = byte
            } else if byte == separator {
                parts.append(value[start..<index])
                start = index + 1
            }
        }
        return parts + [value[start...]]
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = bytes.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let last = start.lastIndex(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") })
        else { return start.prefix(0) }
        return start[...last]
    }
}
