internal import HTTPModel

/// A proxy that sees the requests to an `http` origin and forwards them, rather than tunnelling the
/// connection.
struct ForwardProxy {
    /// The value of Proxy-Authorization; nil without a user.
    private let authorization: String?

    /// nil if no proxy sees the requests of this origin.
    init?(_ origin: Origin) {
        guard let proxy = origin.proxy, origin.tls == nil else { return nil }
        authorization = proxy.authorization
    }

    func adding(to fields: HTTPFields) -> HTTPFields {
        guard let authorization else { return fields }
        var fields = fields
        fields.remove(.proxyAuthorization)
        fields.append(.proxyAuthorization, authorization)
        return fields
    }
}
