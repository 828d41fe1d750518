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
}

/// Where an address in a response leads.
enum UpstreamReference: Equatable {
    /// To another server.
    case elsewhere
    /// To a path that depends on the path of the request.
    case relative
    /// To this path, with query and fragment, of the upstream.
    case own([UInt8])
    /// An HTTP URL that is invalid here, for example with a password, but that a browser may follow.
    case unreadable

    /// - Parameters:
    ///   - value: the address.
    ///   - upstream: where it comes from.
    ///   - path: the path of the request. With it, no address is `relative`.
    init(_ value: ArraySlice<UInt8>, of upstream: Upstream, from path: ArraySlice<UInt8>? = nil) {
        // Browsers drop tabs from a URL, so they would follow another one than the gateway reads.
        if value.contains(UInt8(ascii: "\t")) {
            self = .unreadable
            return
        }
        let isAbsolutePath = value.first == UInt8(ascii: "/") || value.first == UInt8(ascii: "\\")
        let hasScheme = value.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }.contains(
            UInt8(ascii: ":"))
        guard isAbsolutePath || hasScheme || path != nil else {
            self = .relative
            return
        }
        let base = path.flatMap { try? upstream.baseURL.resolving($0) } ?? upstream.baseURL
        guard let url = try? base.resolving(value) else {
            let scheme = String(decoding: value.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
                .lowercased()
            self = isAbsolutePath || ["http", "https"].contains(scheme) ? .unreadable : .elsewhere
            return
        }
        guard upstream.baseURLs.contains(where: { url.hasSameServer(as: $0) }) else {
            self = .elsewhere
            return
        }
        let fragment = value.firstIndex(of: UInt8(ascii: "#")).map { value[$0...] } ?? []
        self = .own(Array(url.target.utf8) + fragment)
    }
}
