private import Glibc
public import Sluice

/// The upstream APIs of the demo. Each has its own paths, tables and envelope, and can simulate faults.
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
/// With `Demo-Visitor: ID` or, from a page, with `?visitor=ID`, a request has and sets the faults and the
/// weights of that visitor, otherwise everybody's. Writes of weights take `If-Match: "71.8"` and
/// `If-None-Match: *`; 412 has the day's weights.
public struct SampleAPIs: Sendable {
    /// The current faults, which `PUT /faults` sets too.
    public let faults = FaultBoard()
    /// The calls of the latest requests of pages.
    public let calls = RecentCalls()

    private let data: SampleQueue
    private let attempts = CallAttempts()
    /// Nil to answer at once.
    private let latency: SampleLatency?

    /// Opens the database, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: the file. Missing folders are created.
    ///   - now: returns seconds since 1970; called for each request. Simulated data covers the days from 2020
    ///     to this one, wherever on earth it is the latest (UTC+14), and the weather of this hour.
    ///   - hasLatency: whether answers take 40 to 180 ms, as real upstreams do, instead of coming at once.
    /// - Throws: `SampleDataError` if the file cannot be opened or created.
    public init(
        database path: String, now: @escaping @Sendable () -> Int = { SampleAPIs.secondsSince1970 },
        hasLatency: Bool = false
    ) throws(SampleDataError) {
        data = SampleQueue(try SampleData(path: path, now: now))
        latency = hasLatency ? SampleLatency() : nil
    }

    /// The time of day in seconds since 1970.
    public static var secondsSince1970: Int { Int(time(nil)) }

    /// Returns the default file: `sluice/diary.sqlite3` in `$XDG_DATA_HOME`, or else in `~/.local/share`.
    public static func defaultDatabasePath(environment: [String: String]) throws(SampleDataError) -> String {
        try DataFolder.defaultDataPath(environment: environment)
    }

    /// Lets a gateway send the faults and record the calls. Pages of the same host may read its answers.
    public func configure(_ configuration: inout GatewayServerConfiguration) {
        configuration.loops = 1
        configuration.cors = CORSPolicy(
            origins: .sameHost, methods: [.get, .head], headers: [], exposedHeaders: [])
        configuration.observer = { [calls] in calls.ended($0) }
        configuration.faultSender = { FaultSender().send($0, to: $1, on: $2) }
    }

    /// Declares the APIs as endpoints of a gateway.
    public func declare(on gateway: Gateway) {
        gateway.defaults(
            .envelope(.custom(GenericEnvelope())), .bodyLimit(16 * 1024), .compression(false),
            .deadline(.milliseconds(Fault.longestDelay + 10_000)))
        gateway.before { request in
            request[RecentCalls.Key.self] = calls.began(
                request.requestID, request.method.rawValue, "\(request.head.target)")
            request[SampleVisitor.self] = try SampleVisitor.read(request)
        }
        gateway.after { answer in
            // A page may also read how long its calls took (Resource Timing).
            guard let origin = answer.fields[.accessControlAllowOrigin] else { return }
            answer.setField("Timing-Allow-Origin", origin)
        }
        declareFaults(on: gateway)
        declareDiary(on: gateway)
        declareWeather(on: gateway)
        declarePlaces(on: gateway)
        declareUsers(on: gateway)
        declareTags(on: gateway)
    }

    /// The switches of the faults, which no fault affects.
    private func declareFaults(on gateway: Gateway) {
        gateway.get("/faults") { request in .fragment(faults.list(for: request[SampleVisitor.self])) }

        gateway.put("/faults") { request in
            let visitor = request[SampleVisitor.self]
            try faults.set(document: request.body, for: visitor)
            return .fragment(faults.list(for: visitor))
        }
    }

    /// Returns the answer that `work` makes of the data, after the latency of the call or the delay that a
    /// fault sets instead.
    func answer(
        to request: GatewayRequest, as call: FaultSwitch,
        _ work: @escaping @Sendable (SampleData) throws -> Answer
    ) -> Single<Answer> {
        let fault = currentFault(of: request, as: call)
        request[Fault.self] = fault
        let wait = latency?.next(of: call) ?? 0
        return switch fault {
        case .none, .flaky, .truncate, .trickle: data.answer(after: wait, work)
        case .delay(let milliseconds): data.answer(after: milliseconds, work)
        case .status(let code): data.answer(after: wait) { _ in GenericEnvelope.fault(code) }
        case .garbage: data.answer(after: wait) { _ in .status(.noContent) }
        // At once: the gateway repeats a request whose reused connection ends without a response, and a
        // timeline would show the first wait as time spent connecting.
        case .drop: .just(.status(.noContent))
        }
    }

    /// Returns the fault of this attempt of a call.
    private func currentFault(of request: GatewayRequest, as call: FaultSwitch) -> Fault {
        let fault = faults.fault(of: call, for: request[SampleVisitor.self])
        guard case .flaky(let failures) = fault else { return fault }
        let number = attempts.next(
            request.header(.xRequestID), request.method.rawValue, "\(request.head.target)")
        return number <= failures ? .status(503) : .none
    }
}
