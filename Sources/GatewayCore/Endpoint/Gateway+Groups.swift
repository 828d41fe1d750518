extension Gateway {
    /// Declares endpoints that share the beginning of their paths, options and middleware. Groups can be
    /// nested.
    ///
    ///     gateway.group("/api", .deadline(.seconds(3))) { api in
    ///         api.before { request in try checkKey(request) }
    ///         api.get("/orders") { request in ... }       // GET /api/orders
    ///     }
    ///
    /// - Parameters:
    ///   - prefix: begins with a slash and may have parameters: `/shops/{shop}`. Empty if only options and
    ///     middleware are shared.
    ///   - options: apply to each endpoint of the group. Options of an inner group or an endpoint override
    ///     them.
    ///   - declare: gets the group, which is declared like a gateway. An endpoint with the path `""` has the
    ///     group's own path.
    public func group(
        _ prefix: String = "", _ options: EndpointOption..., declare: (Gateway) throws -> Void
    ) rethrows {
        let group = Gateway(group: RouteScope(in: scope, prefix: prefix), of: self)
        group.scope.add(options)
        declarations.add(group.scope, prefix)
        try declare(group)
    }

    /// Sets options for all endpoints of the gateway or group, whether they are declared before or after this
    /// call. Options of an inner group or an endpoint override them.
    ///
    ///     gateway.defaults(.deadline(.seconds(3)), .envelope(.bare))
    public func defaults(_ options: EndpointOption...) { scope.add(options) }
}
