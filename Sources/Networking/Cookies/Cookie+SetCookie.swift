import ASCIIText
import FoundationEssentials
import HTTPModel

extension Cookie {
    /// Maximum length of name and value together (RFC 6265bis 5.6).
    static let maximumBytes = 4096

    /// Maximum length of an attribute's value. A longer attribute is ignored (RFC 6265bis 5.6).
    static let maximumAttributeBytes = 1024

    /// Maximum lifetime of a cookie: 400 days (RFC 6265bis 5.5).
    private static let maximumAge = 400.0 * 86400

    /// Parses one `Set-Cookie` field (RFC 6265bis 5.6 and 5.7.3). Returns nil if it sets no cookie: name and
    /// value are empty, exceed 4096 bytes or contain a control character; the domain belongs to another host
    /// or is a public suffix; or the name has the prefix `__Host-` or `__Secure-`, in any case, and breaks
    /// the rules of that prefix.
    init?(setCookie text: String, from url: HTTPURL, at now: Date) {
        guard text.utf8.allSatisfy(ASCII.isFieldByte) else { return nil }
        // Splits bytes, because a semicolon with combining marks is a different Character.
        var parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
        guard let pair = parts.popFirst() else { return nil }
        let (name, value) = Self.nameAndValue(pair)
        guard (1...Self.maximumBytes).contains(name.utf8.count + value.utf8.count) else { return nil }

        var attributes = Attributes()
        for part in parts { attributes.read(part, at: now) }
        let isSecure = attributes.isSecure
        guard !isSecure || url.scheme == .https else { return nil }
        let host = HostName.withoutFinalDot(url.host)
        guard let (domain, isHostOnly) = Self.scope(attributes.domain, of: host) else { return nil }
        let path = attributes.path ?? Self.defaultPath(of: url)
        switch Prefix(name.isEmpty ? value : name) {
        case nil: break
        case .secure: guard isSecure, !name.isEmpty else { return nil }
        case .host:
            guard isSecure, !name.isEmpty, isHostOnly, attributes.domain.isEmpty, attributes.path == "/"
            else {
                return nil
            }
        }
        self.init(
            name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path,
            expires: attributes.maxAge ?? attributes.expires, isSecure: isSecure)
    }

    /// If there is no `=`, the whole pair is the value.
    private static func nameAndValue(_ pair: Substring.UTF8View) -> (name: String, value: String) {
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return ("", trimmed(pair)) }
        return (trimmed(pair[..<equals]), trimmed(pair[pair.index(after: equals)...]))
    }

    /// Returns the hosts that receive a cookie from `host` with this `Domain`; nil if the cookie is rejected.
    private static func scope(_ named: String, of host: String) -> (domain: String, isHostOnly: Bool)? {
        if named.isEmpty { return (host, true) }
        if named == host { return (host, isAddress(host) || PublicSuffixes.contains(host)) }
        guard matches(host: host, domain: named), !PublicSuffixes.contains(named) else { return nil }
        return (named, false)
    }

    /// RFC 6265bis 5.1.4.
    private static func defaultPath(of url: HTTPURL) -> String {
        guard let slash = url.path.lastIndex(of: "/"), slash != url.path.startIndex else { return "/" }
        return String(url.path[..<slash])
    }

    fileprivate static func trimmed(_ text: Substring.UTF8View) -> String {
        Array(text).withUnsafeBytes { String(decoding: ASCII.trimmed($0), as: UTF8.self) }
    }

    /// The name prefixes with special rules, compared ignoring case (RFC 6265bis 4.1.3).
    private enum Prefix {
        case secure, host

        init?(_ text: String) {
            let start = text.utf8.prefix(9).map(ASCII.lowercased)
            if start.elementsEqual("__secure-".utf8) {
                self = .secure
            } else if start.starts(with: "__host-".utf8) {
                self = .host
            } else {
                return nil
            }
        }
    }

    /// If an attribute repeats, its last occurrence counts.
    private struct Attributes {
        /// In lower case, without a leading dot; empty if missing.
        var domain = ""
        /// Nil means the default path.
        var path: String?
        var expires: Date?
        var maxAge: Date?
        var isSecure = false

        mutating func read(_ part: Substring.UTF8View, at now: Date) {
            let words = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let value = words.count > 1 ? Cookie.trimmed(words[1]) : ""
            guard value.utf8.count <= Cookie.maximumAttributeBytes else { return }
            switch Cookie.trimmed(words[0]).lowercased() {
            // RFC 6265 4.1.2.3: a Domain with a final dot is ignored.
            case "domain" where !HostName.isAbsolute(value):
                domain = String(value.hasPrefix(".") ? value.dropFirst() : value[...]).lowercased()
            case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
            case "secure": isSecure = true
            case "expires":
                guard let seconds = CookieDate.seconds(value) else { return }
                expires = min(
                    Date(timeIntervalSince1970: Double(seconds)), now.addingTimeInterval(Cookie.maximumAge))
            case "max-age": maxAge = Self.end(maxAge: value, from: now) ?? maxAge
            default: break
            }
        }

        private static func end(maxAge text: String, from now: Date) -> Date? {
            let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
            guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit) else { return nil }
            guard !text.hasPrefix("-"), let seconds = Double(digits), seconds > 0 else { return .distantPast }
            return now.addingTimeInterval(min(seconds, Cookie.maximumAge))
        }
    }
}
