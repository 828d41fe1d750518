public import EventIO
private import Glibc
internal import HTTPInbound
internal import HTTPModel
private import Locking

/// A server with the upstream APIs of the demo. Each has its own paths, tables and envelope, and can simulate faults.
///
///     GET    /food-diary/weights?fddDate=YYYY-MM-DD&keyword=recent    the seven days up to that day
///     GET    /food-diary/weights?fddDate=YYYY-MM-DD                   monthly means of the last year
///     GET    /food-diary/weights/{date}                               a day
///     PUT    /food-diary/weights/{date}/{am|pm}  {"weight":71.5}      200 with the day
///     DELETE /food-diary/weights/{date}/{am|pm}                       204, permanently
///
///     GET    /weather/getUltraSrtNcst?nx=60&ny=127                    the nowcast for a grid point
///     GET    /weather/getUltraSrtFcst?nx=60&ny=127                    the next six hours
///     GET    /weather/getVilageFcst?nx=60&ny=127                      the next three days
///                                                                     (each with pageNo and numOfRows)
///
///     POST   /places/daily/path  {"user":"u1","timeSequence":[...]}   200 with the distance and the places
///     GET    /places/piechart?date=YYYY-MM-DD                         how the day's time was spent
///
///     GET    /users/{name}                                            a profile
///     GET    /users/{name}/picture                                    a portrait as SVG, with an ETag
///
///     GET    /tags                                                    all tags
///     GET    /tags/received/{cardUUID}                                the tags that a card received
///
///     PUT    /faults  {"api":"weights","fault":"delay:2000"}          200 with all faults
///     GET    /faults
///
/// With `Demo-Visitor: ID` or, from a page, with `?visitor=ID`, a request has and sets the faults and the weights of that visitor,
/// otherwise those of everybody. Writes of weights take `If-Match: "71.8"` and `If-None-Match: *`; 412 has the day's weights.
///
/// Pages of the same host may read the answers (CORS).
///
/// Safe to use from any thread. Call `start` once.
public final class SampleServer: Sendable {
    /// The current faults, which `PUT /faults` sets too.
    public let faults = FaultBoard()
    /// The calls of the latest requests of pages.
    public let calls = RecentCalls()

    private let services: SampleServices
    private let state = Lock(State())

    private struct State {
        var loops: [EventLoop] = []
        /// In the order of `loops`; nil until the loop has created the server.
        var servers: [LoopBound<InboundServer>?] = []
    }

    /// Opens the database, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: the file. Missing folders are created.
    ///   - now: returns seconds since 1970; called for each request. Simulated data covers the days from 2020 to this one, wherever on
    ///     earth it is the latest (UTC+14), and the weather of this hour.
    ///   - hasLatency: whether answers take 40 to 180 ms, as those of real upstreams do, instead of coming at once.
    ///   - allowsHost: whether requests may name this authority (`host[:port]`) in `Host`; others get 421. By default, any.
    ///   - log: called for every answer and every failure of the database, on a loop or on the database's queue. It must not
    ///     block.
    /// - Throws: `SampleDataError` if the file cannot be opened or created.
    public convenience init(
        database path: String, now: @escaping @Sendable () -> Int = { SampleServer.secondsSince1970 },
        hasLatency: Bool = false, allowsHost: @escaping @Sendable (ArraySlice<UInt8>) -> Bool = { _ in true },
        log: (@Sendable (SampleEvent) -> Void)? = nil
    ) throws(SampleDataError) {
        try self.init(
            database: path, now: now, hasLatency: hasLatency, trickleInterval: TrickledAnswer.interval,
            allowsHost: allowsHost, log: log)
    }

    /// - Parameter trickleInterval: the time between two bytes of a trickled answer.
    init(
        database path: String, now: @escaping @Sendable () -> Int, hasLatency: Bool,
        trickleInterval: TimeAmount,
        allowsHost: @escaping @Sendable (ArraySlice<UInt8>) -> Bool = { _ in true },
        log: (@Sendable (SampleEvent) -> Void)?
    ) throws(SampleDataError) {
        services = SampleServices(
            data: SampleQueue(try SampleData(path: path, now: now)), routes: SampleRoutes(faults: faults),
            faults: faults, latency: hasLatency ? SampleLatency() : nil, trickleInterval: trickleInterval,
            calls: calls, allowsHost: allowsHost, log: log)
    }

    /// Returns the default file: `sluice/diary.sqlite3` in `$XDG_DATA_HOME`, or else in `~/.local/share`.
    public static func defaultDatabasePath(environment: [String: String]) throws(SampleDataError) -> String {
        try DataFolder.defaultDataPath(environment: environment)
    }

    public static var secondsSince1970: Int { Int(time(nil)) }

    /// Listens at `address` and serves on `loops`. Returns the bound address, with the actual port instead of port 0.
    public func start(on loops: [EventLoop], at address: SocketAddress) throws(SocketError) -> SocketAddress {
        try start(on: loops, at: [address])[0]
    }

    /// Listens at several addresses, each of which serves all upstreams. Returns the bound addresses in the same order.
    ///
    /// - Parameter mayMove: whether an address whose port is taken is replaced by any free port.
    public func start(
        on loops: [EventLoop], at addresses: [SocketAddress], mayMove: Bool = false
    ) throws(SocketError) -> [SocketAddress] {
        var groups: [[Listener]] = []
        for address in addresses {
            groups.append(try Self.listeners(at: address, count: loops.count, mayMove: mayMove))
        }
        let wasStarted = state.withLock { state in
            defer { state = State(loops: loops, servers: loops.map { _ in nil }) }
            return !state.loops.isEmpty
        }
        precondition(!wasStarted, "a sample server can be started only once")
        for (index, loop) in loops.enumerated() {
            let listeners = groups.map { $0[index] }
            loop.execute { self.serve(listeners, on: loop, index) }
        }
        return zip(groups, addresses).map { $0.first?.address ?? $1 }
    }

    private static func listeners(
        at address: SocketAddress, count: Int, mayMove: Bool
    ) throws(SocketError) -> [Listener] {
        do throws(SocketError) {
            return try Listener.group(bind: address, count: count)
        } catch {
            guard mayMove, error.isAddressInUse else { throw error }
            return try Listener.group(bind: address.with(port: 0), count: count)
        }
    }

    private func serve(_ listeners: [Listener], on loop: EventLoop, _ index: Int) {
        let server = InboundServer(
            loop: loop, handler: SampleHandler(services),
            errorRenderer: { GenericResponse.failure($0.status, $0.message) })
        for listener in listeners { server.adopt(listener) }
        let bound = LoopBound(server, loop: loop)
        state.withLock { $0.servers[index] = bound }
    }

    /// Stops accepting connections, answers the requests in progress, and calls `done` once when every connection has ended, at
    /// the latest after the drain deadline of `InboundLimits`.
    public func stop(_ done: @escaping @Sendable () -> Void = {}) {
        let loops = state.withLock { $0.loops }
        guard !loops.isEmpty else { return done() }
        let countdown = Countdown(loops.count, done)
        for (index, loop) in loops.enumerated() {
            // After `serve` in the loop's queue, so the server exists.
            let isRunning = loop.execute {
                guard let server = self.state.withLock({ $0.servers[index] }) else {
                    return countdown.countDown()
                }
                server.value.onIdle = { countdown.countDown() }
                server.value.stopAccepting()
            }
            if !isRunning { countdown.countDown() }
        }
    }
}

private final class Countdown: Sendable {
    private let left: Lock<Int>
    private let work: @Sendable () -> Void

    init(_ count: Int, _ work: @escaping @Sendable () -> Void) {
        left = Lock(count)
        self.work = work
    }

    func countDown() {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { work() }
    }
}
