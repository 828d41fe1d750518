public import EventIO
private import Glibc
internal import HTTPInbound
internal import HTTPModel
private import Locking

/// The upstream APIs of the demo, each with paths, tables and an envelope of its own, with faults on demand.
///
///     GET    /food-diary/weights?fddDate=YYYY-MM-DD&keyword=recent    the seven days up to that day
///     GET    /food-diary/weights?fddDate=YYYY-MM-DD                   monthly means of the last year
///     GET    /food-diary/weights/{date}                               a day
///     PUT    /food-diary/weights/{date}/{am|pm}  {"weight":71.5}      200 with the day
///     DELETE /food-diary/weights/{date}/{am|pm}                       204, for good
///
///     GET    /weather/getUltraSrtNcst?nx=60&ny=127                    the now-cast of a point of the grid
///     GET    /weather/getUltraSrtFcst?nx=60&ny=127                    the next six hours
///     GET    /weather/getVilageFcst?nx=60&ny=127                      the next three days
///                                                                     (each with pageNo and numOfRows)
///
///     POST   /places/daily/path  {"user":"u1","timeSequence":[...]}   200 with the distance and the places
///     GET    /places/piechart?date=YYYY-MM-DD                         where the day's time went
///
///     GET    /users/{name}                                            a profile
///
///     GET    /tags                                                    all tags
///     GET    /tags/received/{cardUUID}                                those that a card received
///
///     PUT    /faults  {"api":"weights","fault":"delay:2000"}          200 with all faults
///     GET    /faults
///
/// From any thread. `start` once.
public final class SampleServer: Sendable {
    /// The faults that are set; the same that `PUT /faults` sets.
    public let faults = FaultBoard()

    private let data: SampleQueue
    private let log: (@Sendable (SampleEvent) -> Void)?
    private let state = Lock(State())

    private struct State {
        var loops: [EventLoop] = []
        /// In the order of `loops`; nil until its loop has made it.
        var servers: [LoopBound<InboundServer>?] = []
    }

    /// Opens the file of the data, and makes it where there is none.
    ///
    /// - Parameters:
    ///   - path: the file; the folders on its way are made too.
    ///   - now: seconds since 1970, asked for with each request. What is plausible is computed for days from 2020 to that
    ///     one (in UTC), and the weather for that hour.
    ///   - log: told about every answer and every failure of the data, on a loop or on the data's queue:
    ///     it must not block.
    public init(
        database path: String, now: @escaping @Sendable () -> Int = { SampleServer.secondsSince1970 },
        log: (@Sendable (SampleEvent) -> Void)? = nil
    ) throws(SampleDataError) {
        data = SampleQueue(try SampleData(path: path, now: now))
        self.log = log
    }

    /// The file in the user's data folder: `$XDG_DATA_HOME/sluice/diary.sqlite3`, else
    /// `~/.local/share/sluice/diary.sqlite3`.
    public static func defaultDatabasePath(environment: [String: String]) throws(SampleDataError) -> String {
        try Folders.defaultDataPath(environment: environment)
    }

    /// By the system's clock.
    public static var secondsSince1970: Int { Int(time(nil)) }

    /// Listens at `address` and serves on `loops`.
    ///
    /// - Returns: the address bound, with the port that was free where port 0 was asked for.
    public func start(on loops: [EventLoop], at address: SocketAddress) throws(SocketError) -> SocketAddress {
        let listeners = try Listener.group(bind: address, count: loops.count)
        let wasStarted = state.withLock { state in
            defer { state = State(loops: loops, servers: loops.map { _ in nil }) }
            return !state.loops.isEmpty
        }
        precondition(!wasStarted, "a sample server is started once")
        let routes = SampleRoutes(faults: faults)
        for (place, listener) in listeners.enumerated() {
            loops[place].execute { self.serve(listener, routes, on: loops[place], place) }
        }
        return listeners.first?.address ?? address
    }

    private func serve(_ listener: Listener, _ routes: SampleRoutes, on loop: EventLoop, _ place: Int) {
        let server = InboundServer(
            loop: loop, handler: SampleHandler(data: data, routes: routes, faults: faults, log: log),
            errorRenderer: { GenericResponse.failure($0.status, $0.message) })
        server.adopt(listener)
        let bound = LoopBound(server, loop: loop)
        state.withLock { $0.servers[place] = bound }
    }

    /// Stops accepting, answers what is under way, and calls `done` when every connection has ended: at the
    /// latest after the drain deadline of `InboundLimits`. Once.
    public func stop(_ done: @escaping @Sendable () -> Void = {}) {
        let loops = state.withLock { $0.loops }
        guard !loops.isEmpty else { return done() }
        let left = Countdown(loops.count, done)
        for (place, loop) in loops.enumerated() {
            // Behind `serve` in the loop's queue, so the server is there.
            let isRunning = loop.execute {
                guard let server = self.state.withLock({ $0.servers[place] }) else { return left.one() }
                server.value.onIdle = { left.one() }
                server.value.stopAccepting()
            }
            if !isRunning { left.one() }
        }
    }
}

/// Calls its work when it was counted down to nothing.
private final class Countdown: Sendable {
    private let left: Lock<Int>
    private let work: @Sendable () -> Void

    init(_ count: Int, _ work: @escaping @Sendable () -> Void) {
        left = Lock(count)
        self.work = work
    }

    func one() {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { work() }
    }
}
