import ASCIIText
import EndpointPlans
import HTTPModel

/// Keeps pages of other sites from writing with a client's cookies, without a token: the rules of Go 1.25's
/// `http.CrossOriginProtection`.
///
/// A browser says where a request comes from, in `Sec-Fetch-Site` or, an older one, in `Origin`. Other
/// clients say neither, and no page makes them call.
struct CrossOriginRule: Sendable {
    /// The origins whose pages may write. Nil for the gateway's own alone.
    let cors: CORSPolicy?

    private static let secFetchSite: HTTPFieldName = "Sec-Fetch-Site"
    private static let writes: [HTTPMethod] = [.post, .put, .patch, .delete]

    /// Whether requests with this method are checked.
    static func concerns(_ method: HTTPMethod) -> Bool { writes.contains(method) }

    /// Why the request may come from a page that must not make it, for the log; nil if no such page made it.
    func fault(of fields: HTTPFields, authority: ArraySlice<UInt8>?) -> String? {
        let origins = fields.valueBytes(of: .origin)
        // A browser sends each of these fields once.
        guard origins.count < 2 else { return "Origin occurs twice" }
        let origin = origins.first
        if let origin, let cors, cors.lists(origin, of: fields) { return nil }
        let sites = fields.valueBytes(of: Self.secFetchSite)
        guard sites.count < 2 else { return "Sec-Fetch-Site occurs twice" }
        if let site = sites.first {
            if site.elementsEqual("same-origin".utf8) || site.elementsEqual("none".utf8) { return nil }
            return "\(unlisted(origin)) and Sec-Fetch-Site is \(Self.shown(site)), not same-origin or none"
        }
        guard let origin else { return nil }
        if let authority, let own = Self.authority(of: origin), Self.areEqual(own, authority) { return nil }
        let host = authority.map(Self.shown) ?? "missing"
        return "\(unlisted(origin)) and does not have the host and port of Host, \(host)"
    }

    /// The first half of a reason: `Origin https://evil.example is not among cors.origins`. An origin is not
    /// secret.
    private func unlisted(_ origin: ArraySlice<UInt8>?) -> String {
        guard let origin else { return "the request has no Origin" }
        let rule =
            cors?.origins.isAny == true
            ? "may only read, because cors.origins lists no origin by name" : "is not among cors.origins"
        return "Origin \(Self.shown(origin)) \(rule)"
    }

    /// Text of a client, short enough for a line of the log.
    private static func shown(_ text: ArraySlice<UInt8>) -> String {
        Shown.text(String(decoding: text, as: UTF8.self))
    }

    private static func areEqual(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { ASCII.equalsIgnoringCase(left, $0) } }
    }

    /// Returns the host and port of an origin; nil for `null`.
    private static func authority(of origin: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let mark = origin.firstRange(of: Array("://".utf8)) else { return nil }
        return origin[mark.upperBound...]
    }
}

extension CORSPolicy {
    /// Whether the origin is one that the policy names. That any origin may read says nothing about who may
    /// write, and `null` is every sandboxed page.
    fileprivate func lists(_ origin: ArraySlice<UInt8>, of request: HTTPFields) -> Bool {
        if origins.isAny { return false }
        let text = String(decoding: origin, as: UTF8.self)
        return text != "null" && allows(text, of: request)
    }
}
