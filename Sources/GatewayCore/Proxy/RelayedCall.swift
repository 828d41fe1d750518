import HTTPModel
import Networking

/// A call whose response is passed on, and what of it passes.
final class RelayedCall: Sendable {
    let call: UpstreamCall
    let fields: PassedFields
    /// Nil for a call that a handler made: its paths are not the gateway's.
    let paths: ProxyPaths?
    /// Why it cannot be passed on; nil if it can.
    let fault: EndpointFault?

    init(_ call: UpstreamCall, _ fields: ProxyFields, paths: ProxyPaths? = nil) {
        self.call = call
        self.fields = fields.passed
        self.paths = paths
        fault = paths == nil ? fields.fault.map { EndpointFault("an answer by proxy \($0)") } : nil
    }

    /// Returns the `Location` for the client; nil to leave it out.
    ///
    /// A URL of the upstream itself becomes one of the gateway. If the gateway has none for it, the client could not use it, and it might
    /// tell the name of an internal host. Other URLs, and relative paths, pass as they are.
    func location(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let upstream = call.upstream else { return nil }
        switch LocationReference(value, of: upstream) {
        case .elsewhere: return value
        case .own(let path): return paths?.publicPath(of: path)
        case .unreadable: return nil
        }
    }
}

/// Where the value of `Location` leads.
enum LocationReference: Equatable {
    /// To another server, or from the client's own URL to one beside it.
    case elsewhere
    /// To this path, with query and fragment, of the upstream.
    case own([UInt8])
    /// An HTTP URL that is invalid here, for example with a password, but that a browser may follow.
    case unreadable

    init(_ value: ArraySlice<UInt8>, of upstream: Upstream) {
        // Browsers drop tabs from a URL, so they would follow another one than the gateway reads.
        if value.contains(UInt8(ascii: "\t")) {
            self = .unreadable
            return
        }
        let isAbsolutePath = value.first == UInt8(ascii: "/") || value.first == UInt8(ascii: "\\")
        let hasScheme = value.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }.contains(
            UInt8(ascii: ":"))
        guard isAbsolutePath || hasScheme else {
            self = .elsewhere
            return
        }
        guard let url = try? upstream.baseURL.resolving(value) else {
            let scheme = String(decoding: value.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
                .lowercased()
            self = isAbsolutePath || ["http", "https"].contains(scheme) ? .unreadable : .elsewhere
            return
        }
        guard upstream.baseURLs.contains(where: { url.hasSameOrigin(as: $0) }) else {
            self = .elsewhere
            return
        }
        let fragment = value.firstIndex(of: UInt8(ascii: "#")).map { value[$0...] } ?? []
        self = .own(Array(url.target.utf8) + fragment)
    }
}
