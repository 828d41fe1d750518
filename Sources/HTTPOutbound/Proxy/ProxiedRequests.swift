internal import HTTPModel

/// What a proxy wants of the requests that it passes on itself, those to `http` origins, beside targets in absolute-form.
struct ProxiedRequests {
    /// Nil where the proxy wants nothing of the kind.
    private let authorization: String?

    /// Nil where no proxy sees the requests.
    init?(_ origin: Origin) {
        guard let proxy = origin.proxy, origin.tls == nil else { return nil }
        authorization = proxy.authorization
    }

    func adding(to fields: HTTPFields) -> HTTPFields {
        guard let authorization else { return fields }
        var fields = fields
        fields.remove("Proxy-Authorization")
        fields.append("Proxy-Authorization", authorization)
        return fields
    }
}
