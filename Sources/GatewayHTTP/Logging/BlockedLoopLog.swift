import EventIO
import Locking

/// Logs what holds up loops: at most one line a minute for each endpoint, for all loops.
final class BlockedLoopLog: Sendable {
    private let log: Log
    private let schedule = Lock(BlockSchedule())

    init(_ log: Log) { self.log = log }

    /// - Parameters:
    ///   - time: for how long nothing else ran on the loop.
    ///   - code: the endpoint whose code ran; nil if it is not known.
    ///   - loop: the loop's name.
    func add(_ time: TimeAmount, by code: String?, on loop: String, at now: MonotonicTime) {
        guard let unlogged = schedule.withLock({ $0.mayWrite(code ?? "", at: now) }) else { return }
        let others: Int? = unlogged > 0 ? unlogged : nil
        let milliseconds = Int(time.nanoseconds / 1_000_000)
        log.write(
            .warning, "loop blocked",
            [
                "what": Self.description(milliseconds, by: code), "by": code, "elapsedMs": milliseconds,
                "loop": loop, "unlogged": others,
            ])
    }

    static func description(_ milliseconds: Int, by code: String?) -> String {
        let tenths = milliseconds / 100
        return "loop blocked for \(tenths / 10).\(tenths % 10) s by \(code ?? "code outside of endpoints")"
    }
}

/// Decides which blocks are logged.
struct BlockSchedule {
    /// The least time between two lines of one name.
    static let interval = TimeAmount.seconds(60)
    /// With more names, all are forgotten. Only reloads bring new ones.
    static let mostNames = 1024

    private var lines: [String: (next: MonotonicTime, unlogged: Int)] = [:]

    /// Returns how many blocks had no line since the last line of this name; nil if this
    /// one gets no line.
    mutating func mayWrite(_ name: String, at now: MonotonicTime) -> Int? {
        if let line = lines[name], now < line.next {
            lines[name] = (line.next, line.unlogged + 1)
            return nil
        }
        let unlogged = lines[name]?.unlogged ?? 0
        if lines.count >= Self.mostNames { lines = [:] }
        lines[name] = (now + Self.interval, 0)
        return unlogged
    }
}
