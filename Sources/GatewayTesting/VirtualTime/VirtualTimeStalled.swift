import GatewayCore

/// A request in virtual time waits for something that is not in the test's time: for another clock, such as
/// the clock of `Task.sleep` or of a dispatch queue, for work on another thread or on the main queue that did
/// not end within 0.5 s of real time (`GatewayWorld.virtualTime(patience:)`), or for nothing at all. On
/// sockets, its answer may be another one. So does a hook of the gateway.
public struct VirtualTimeStalled: Error, CustomStringConvertible {
    enum Cause: Sendable {
        /// Nothing happened for this time: the requests, with their routes and parts.
        case otherThreads([String], Duration)
        /// A request waits for this time on a scheduler.
        case otherClock(String, scheduler: String, Duration)
        /// A request waits for a scheduler on the main queue, which has not run its work for this time.
        case mainQueue(String, scheduler: String, Duration)
    }

    /// The requests that wait: `GET /api/weights`.
    public let waiting: [String]
    let cause: Cause

    /// Names the requests, their routes and parts, the usual causes, and what to use instead.
    public var description: String {
        switch cause {
        case .otherThreads(let places, let limit):
            """
            no event is left in virtual time, and no other thread continued \(places.joined(separator: ", ")) \
            within \(limit) of real time. \(Self.causes) \(Self.cures) \
            For work that takes longer, use .virtualTime(patience:). \
            To let a request reach its deadline, or a job its next run, call client.wait(_:) meanwhile
            """
        case .otherClock(let place, let scheduler, let duration):
            """
            \(place) waits for \(duration) on a \(scheduler), whose clock is not the clock of the test: \
            on sockets, that time would be over now. \(Self.cures)
            """
        case .mainQueue(let place, let scheduler, let limit):
            """
            \(place) waits for a \(scheduler), and the main queue has not run its work within \(limit) of real \
            time. Something blocks the main thread, such as a test on the main actor that does not await, or a \
            program whose main thread waits. A gateway seldom needs the main queue: remove observe(on:) and \
            subscribe(on:) with that scheduler
            """
        }
    }

    private static let causes = """
        Usual causes: Task.sleep or another clock, a timer or asyncAfter of a dispatch queue, the main queue, \
        a client or database of its own, a continuation or stream that nothing continues.
        """

    private static let cures = """
        Use request.sleep, request.scheduler, gateway.scheduler, operators without a scheduler, \
        and the gateway's providers, or run the test on sockets.
        """

    /// Returns `GET /api/weights (route /api/weights, part recent)`.
    static func describe(_ what: String, _ work: OpenWork?) -> String {
        guard let work else { return what }
        let route = work.route.map { "route \($0)" } ?? "no route"
        let parts = work.parts.map(\.name)
        switch parts.count {
        case 0: return "\(what) (\(route), outside all parts)"
        case 1: return "\(what) (\(route), part \(parts[0]))"
        default: return "\(what) (\(route), parts \(parts.joined(separator: " and ")))"
        }
    }
}
