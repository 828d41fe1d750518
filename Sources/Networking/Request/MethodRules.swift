import HTTPModel

/// The rules for methods whose requests differ from all others.
enum MethodRules {
    /// - Throws: if the method is CONNECT, whose target is an authority and whose response opens a tunnel
    ///   (RFC 9110 9.3.6), or TRACE with a body (9.3.8).
    @inline(__always)
    static func check(_ method: HTTPMethod, _ body: @autoclosure () -> RequestBody = .none)
        throws(RequestFault)
    {
        if method.isGet { return }
        if method == .connect {
            throw RequestFault(.url, "CONNECT opens a tunnel to a host, and has no path")
        }
        if method == .trace, !body().isNone { throw RequestFault(.body, "a TRACE request has no body") }
    }
}
