public import GatewayCore
public import GatewayHTTP
import JSONBytes

/// Runs a gateway with stubs for its upstreams while `body` runs, on sockets or in virtual time; then drains
/// it.
///
///     let upstreams = StubUpstreams()
///     upstreams["diary"].on(.get, "/weights").answer(.json("[]").after(.milliseconds(800)))
///     try await withGateway(.virtualTime, upstreams: upstreams, declare: declareEndpoints) { client in
///         let response = try await client.get("/api/weights")
///         #expect(response.status == .ok)
///         #expect(response.elapsed == .milliseconds(800))
///     }
///
/// - Parameters:
///   - world: sockets on loopback, or virtual time.
///   - upstreams: the stubs by upstream name. An upstream without stubs answers 501, unless
///     `configuration.upstreams` has an address for it.
///   - configuration: limits, name and CORS to test with. On sockets, host, port, loops and logs are
///     overridden; in virtual time, what concerns connections is ignored.
///   - declare: declares the endpoints under test.
///   - isolation: the actor of the test.
///   - body: the test.
/// - Throws: `UnmatchedCalls` if a call matched no stub, `GatewayLeak` if a request or call is still in
///   progress after `body` has returned, `GatewayStartError` if a hook of the start fails, and any error of
///   `declare` and `body`.
public func withGateway<Result: Sendable>(
    _ world: GatewayWorld = .sockets,
    upstreams: StubUpstreams = StubUpstreams(),
    configuration: GatewayServerConfiguration = GatewayServerConfiguration(),
    declare: @escaping @Sendable (Gateway) throws -> Void,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (TestClient) async throws -> Result
) async throws -> Result {
    let unmatched = UnmatchedCalls.Log()
    do {
        let result =
            world.isVirtual
            ? try await VirtualWorld.run(
                world.patience, upstreams, unmatched, configuration, declare, isolation, body)
            : try await SocketWorld.run(
                world.patience, upstreams, unmatched, configuration, declare, isolation, body)
        if let error = unmatched.error() { throw error }
        return result
    } catch let error as UnmatchedCalls {
        throw error
    } catch {
        throw unmatched.error(after: error) ?? error
    }
}

/// A gateway that did not end when it was drained, because a request or a call is still in progress.
public struct GatewayLeak: Error, CustomStringConvertible {
    /// What is wrong, in words.
    public let description: String
}
