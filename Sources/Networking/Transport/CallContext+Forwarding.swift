/// What a request's calls forward of the client's request.
extension CallContext {
    /// The context without the client's fields, for calls that a redirect sends to another origin, and for
    /// calls that are the gateway's own.
    package var withoutForwarding: CallContext {
        guard let forwarding else { return self }
        return CallContext(self, ownFields: forwarding.ownFields)
    }

    /// Whether both contexts of one request forward the same fields. A redirect may have removed the
    /// client's.
    func forwardsTheSame(as other: CallContext) -> Bool { forwarding === other.forwarding }

    /// Whether the client's `Authorization` or `Cookie`, if sent, is forwarded to the upstream.
    func forwardsCredentials(to upstream: Upstream) -> Bool {
        guard let forwarding else { return false }
        return forwarding.authorizationUpstreams.contains(upstream.name)
            || forwarding.cookieUpstreams.contains(upstream.name)
    }

    /// Whether calls to the upstream may carry fields of the client, if it sent them, or tell who it is.
    func forwardsFields(to upstream: Upstream) -> Bool {
        forwards || forwardsCredentials(to: upstream) || callerFields?.isEmpty == false
    }

    /// Nil unless upstreams learn who calls.
    var callerFields: CallerFields? { forwarding?.caller }

    /// Whether upstreams learn of the client.
    var tellsClient: Bool { forwarding?.client != nil }
}
