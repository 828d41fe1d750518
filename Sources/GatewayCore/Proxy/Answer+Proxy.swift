public import Networking

extension Answer {
    /// An answer that passes on the response to a call: status and body as they are, and the fields that
    /// `fields` lists. It takes the place of an envelope, also for failures that the upstream reports.
    ///
    ///     gateway.get("/avatars/{user}") { request in
    ///         .proxy(images.call(.avatar(of: try request.path("user"))))
    ///     }
    ///
    /// The call gets the listed fields of the client's request, such as conditions and ranges, unless its
    /// target sets them; and the client's body, if the target has none. At an endpoint with `.streamsBody`
    /// the body is streamed. HEAD is passed on as HEAD. The rest is as for `Gateway.proxy`.
    ///
    /// `fields` that list `Cookie` are not known before the request, so writes of other sites are not
    /// refused for them. Pass a cookie on by `.forwardsCookies(to:)`, or by `Gateway.proxy`: there they are.
    ///
    /// - Parameters:
    ///   - call: the call, not sent yet.
    ///   - fields: the fields that pass. An invalid list is answered with 500 and is an incident.
    public static func proxy(_ call: UpstreamCall, fields: ProxyFields = .standard) -> Answer {
        Answer(.relay(RelayedCall(call, fields)))
    }
}
