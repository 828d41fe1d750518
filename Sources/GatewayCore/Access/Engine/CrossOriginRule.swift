import ASCIIText
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

    /// Whether the request may come from a page that must not make it.
    func refuses(_ fields: HTTPFields, authority: ArraySlice<UInt8>?) -> Bool {
        let origins = fields.valueBytes(of: .origin)
        // A browser sends each of these fields once.
        guard origins.count < 2 else { return true }
        let origin = origins.first
        if let origin, let cors, cors.lists(origin, of: fields) { return false }
        let sites = fields.valueBytes(of: Self.secFetchSite)
        guard sites.count < 2 else { return true }
        if let site = sites.first {
            return !(site.elementsEqual("same-origin".utf8) || site.elementsEqual("none".utf8))
        }
        guard let origin else { return false }
        guard let authority, let own = Self.authority(of: origin) else { return true }
        return !own.withUnsafeBytes { own in
            authority.withUnsafeBytes { ASCII.equalsIgnoringCase(own, $0) }
        }
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
