/// Where a test runs its gateway: the same test runs in either.
///
///     @Test("A slow diary does not delay the page", arguments: GatewayWorld.allCases)
///     func slowDiary(world: GatewayWorld) async throws {
///         try await withGateway(world, upstreams: upstreams, declare: declareEndpoints) { client in ... }
///     }
public struct GatewayWorld: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// `sockets` or `virtualTime`.
    public let description: String
    /// In real time: how long virtual time waits for work on other threads, and sockets for requests after
    /// the test.
    let patience: Duration

    /// A server on loopback with real upstreams, connections and time.
    public static let sockets = GatewayWorld(description: "sockets", patience: .seconds(2))

    /// Sockets where requests may take another time to end after the test.
    static func sockets(patience: Duration) -> GatewayWorld {
        GatewayWorld(description: "sockets", patience: patience)
    }

    /// No sockets, and a clock that jumps from event to event, so that a wait of 0.8 s takes exactly 0.8 s
    /// and no time.
    ///
    /// The test, `async` handlers and parts, their child tasks and actors run on one thread. Work that they
    /// hand to other threads (the main actor, a detached task, a queue) takes no virtual time; if a request
    /// waits for nothing else, the clock waits up to 0.5 s of real time for it (`virtualTime(patience:)`),
    /// and then the request throws `VirtualTimeStalled`. So does a request whose answer depends on another
    /// clock, such as `Task.sleep` or a scheduler on a dispatch queue. To let a request reach its deadline,
    /// or a job its next run, the test waits in virtual time as well: `client.wait(_:)`. Hooks and loads of
    /// shared values may use other threads, too.
    ///
    /// Without connections, neither circuit breakers nor limits of connections, only the time limits of calls
    /// and requests, their retries, and the limits of `GatewayLimits`.
    public static let virtualTime = GatewayWorld(description: "virtualTime", patience: .milliseconds(500))

    /// Virtual time that waits longer for work on other threads, such as a computation of seconds, or on a
    /// machine that is busy.
    ///
    /// - Parameter patience: real time, in which nothing else continues the test.
    public static func virtualTime(patience: Duration) -> GatewayWorld {
        GatewayWorld(description: "virtualTime", patience: patience)
    }

    /// Both worlds, as arguments of a test.
    public static let allCases: [GatewayWorld] = [.sockets, .virtualTime]

    /// Whether both are sockets, or both are virtual time, however patient.
    public static func == (one: GatewayWorld, other: GatewayWorld) -> Bool {
        one.description == other.description
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }

    var isVirtual: Bool { description == "virtualTime" }
}
