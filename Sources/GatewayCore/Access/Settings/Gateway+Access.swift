public import HTTPModel

extension Gateway {
    /// Declares a way in which clients prove who they are. Endpoints name it in `.require`.
    ///
    ///     gateway.auth("mobile", .jwt(tokens), send: ["X-User-Id": "{claims.sub}"])
    ///     gateway.get("/me", .require("mobile")) { request in
    ///         try user(request.claim("sub", as: String.self))
    ///     }
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, `-` and `_`, with a letter first. At most 16 entries.
    ///   - method: how.
    ///   - send: fields about the caller that each upstream gets with the calls of such a request. No client
    ///     can set them. A claim that is missing leaves its field out.
    public func auth(
        _ name: String, _ method: AuthMethod, send: KeyValuePairs<HTTPFieldName, String> = [:]
    ) {
        auth(name, method, send: send.map { SentField($0.key, $0.value) })
    }

    /// Declares a way in which clients prove who they are, with fields in a list.
    package func auth(_ name: String, _ method: AuthMethod, send: [SentField]) {
        declarations.add(AuthDeclaration(name: name, method: method, send: send))
    }

    /// Declares a limit on requests. Endpoints name it in `.rateLimits`.
    ///
    ///     gateway.rateLimit("perUser", RateLimit(key: [.identity], rate: 100, per: .seconds(60)))
    public func rateLimit(_ name: String, _ limit: RateLimit) { declarations.add(limit, named: name) }
}

extension EndpointOption {
    /// Serves only clients that one of these entries knows (`Gateway.auth(_:_:send:)`). Others get 401, or
    /// 403 if a scope or a claim is missing. Default: everybody.
    ///
    /// - Parameters:
    ///   - entries: the first whose credential the request has decides.
    ///   - scopes: each must be in the claim `scope` or `scp`.
    ///   - claims: claims with their possible values.
    ///   - optional: whether requests without a credential are served, too, without an identity.
    public static func require(
        _ entries: String..., scopes: [String] = [], claims: [String: [String]] = [:], optional: Bool = false
    ) -> EndpointOption {
        require(Requirement(any: entries, scopes: scopes, claims: claims, isOptional: optional))
    }

    /// Serves only clients that meet the requirement. `.require(.none)` serves everybody, whatever the group
    /// requires.
    public static func require(_ requirement: Requirement) -> EndpointOption {
        EndpointOption { $0.requirement = requirement }
    }

    /// Limits the requests to the endpoint (`Gateway.rateLimit(_:_:)`): each must pass all of these limits.
    /// Without a name, no limit applies.
    public static func rateLimits(_ names: String...) -> EndpointOption { rateLimits(names) }

    /// Limits the requests to the endpoint, with names in a list.
    package static func rateLimits(_ names: [String]) -> EndpointOption {
        EndpointOption { $0.rateLimits = names }
    }

    /// Whether a page of another site is kept from writing with a cookie. Default true. It matters where a
    /// cookie decides who calls, or is forwarded: there POST, PUT, PATCH and DELETE must come from the
    /// gateway's own pages or from an origin of the `CORSPolicy`, else they are answered with 403.
    public static func csrf(_ isOn: Bool) -> EndpointOption { EndpointOption { $0.checksCSRF = isOn } }
}
