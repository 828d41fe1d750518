import Locking

/// How long tests wait for something that should happen soon.
package enum Patience {
    /// Enough on a busy machine, and less than the shortest time limit of a suite, a minute. 20 s, or 50 s
    /// with a sanitizer.
    package static let limit: Duration = .seconds(Sanitizer.isOn ? 50 : 20)

    private static let vain = Lock<Set<String>>([])

    /// The limit of a wait at a place. After one wait in vain there, the next take 1 s at most: a test of
    /// many cases must not fail for minutes.
    static func limit(_ asked: Duration, file: String, line: Int) -> Duration {
        vain.withLock { $0.contains("\(file):\(line)") } ? min(asked, .seconds(1)) : asked
    }

    fileprivate static func noteWaitInVain(at place: String) { vain.withLock { _ = $0.insert(place) } }
}

/// A wait that did not end in time.
package struct WaitedTooLong: Error, CustomStringConvertible {
    package let limit: Duration
    /// `EventIOTests/TimerTests.swift:42`
    package let place: String
    /// What had happened when the time was over.
    package let state: String

    package init(_ limit: Duration, file: String, line: Int, state: String) {
        self.limit = limit
        place = "\(file):\(line)"
        self.state = state
        Patience.noteWaitInVain(at: place)
    }

    package var description: String { "waited \(limit) at \(place): \(state)" }
}
