public import GatewayCore
public import GatewayHTTP

/// Runs a gateway that serves a file, and endpoints in Swift next to it, with stubs instead of the file's
/// URLs.
///
///     let upstreams = StubUpstreams()
///     upstreams["diary"].on(.get, "/weights").answer(json: "[]")
///     try await withGateway(.virtualTime, file: "sluice.yaml", upstreams: upstreams) { client in
///         let response = try await client.get("/api/weights/charts")
///         #expect(response.status == .ok)
///     }
///
/// Paths of the URLs do not count: a stub gets `/weights` where the upstream would get `/prefix/weights`.
/// Variables come from the test's environment. Secrets and certificates that the file names must exist.
///
/// - Parameters:
///   - world: sockets on loopback, or virtual time.
///   - path: the file, in the format of `sluice serve --config`.
///   - upstreams: the stubs by upstream name. An upstream without stubs answers 501, unless
///     `configuration.upstreams` has an address for it.
///   - configuration: what the file does not set. On sockets, host, port, loops and logs are overridden.
///   - declare: declares the endpoints in Swift.
///   - isolation: the actor of the test.
///   - body: the test.
/// - Throws: an error with a line for each problem of the file, and what
///   `withGateway(_:upstreams:configuration:declare:_:)` throws.
public func withGateway<Result: Sendable>(
    _ world: GatewayWorld = .sockets,
    file path: String,
    upstreams: StubUpstreams = StubUpstreams(),
    configuration: GatewayServerConfiguration = GatewayServerConfiguration(),
    declare: @escaping @Sendable (Gateway) throws -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation,
    _ body: (TestClient) async throws -> Result
) async throws -> Result {
    let file = try GatewayFile(path, isBesideSwift: true)
    var settings = configuration
    file.apply(to: &settings)
    // Stubs take the place of the others.
    settings.upstreams = configuration.upstreams
    return try await withGateway(
        world, upstreams: upstreams, configuration: settings,
        declare: { try file.declare(on: $0, beside: declare) }, isolation: isolation, body)
}
