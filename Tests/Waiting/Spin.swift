import Glibc

/// Blocks while `condition` holds, for states that no event reports.
///
/// - Parameters:
///   - limit: how long it waits at most.
///   - state: describes the state for the error, such as `"\(count) of 3 requests"`.
/// - Throws: `WaitedTooLong`, or what `condition` throws.
package func spin(
    while condition: @autoclosure () throws -> Bool, within limit: Duration = Patience.limit,
    file: String = #fileID, line: Int = #line, _ state: () throws -> String
) throws {
    let limit = Patience.limit(limit, file: file, line: line)
    var pace = Pace(limit)
    while try condition() {
        if pace.isOver { throw WaitedTooLong(limit, file: file, line: line, state: try state()) }
        if pace.isYoung { sched_yield() } else { Glibc.poll(nil, 0, 1) }
        pace.check()
    }
}

/// Suspends while `condition` holds, for states that no event reports.
///
/// - Parameters:
///   - limit: how long it waits at most.
///   - state: describes the state for the error, such as `"\(count) of 3 requests"`.
/// - Throws: `WaitedTooLong`, `CancellationError`, or what `condition` throws.
package func poll(
    while condition: @autoclosure () async throws -> Bool, within limit: Duration = Patience.limit,
    isolation: isolated (any Actor)? = #isolation, file: String = #fileID, line: Int = #line,
    _ state: () async throws -> String
) async throws {
    let limit = Patience.limit(limit, file: file, line: line)
    var pace = Pace(limit)
    while try await condition() {
        if pace.isOver { throw WaitedTooLong(limit, file: file, line: line, state: try await state()) }
        if pace.isYoung { await Task.yield() } else { try await Task.sleep(for: .milliseconds(1)) }
        pace.check()
    }
}

/// Most states change within microseconds, so a wait begins by yielding. Later it checks every millisecond,
/// which leaves the processor to the others.
///
/// It looks at the clock before each check, so that the last check comes after the limit: the test itself may
/// have been delayed.
private struct Pace {
    private let start = ContinuousClock.now
    private let limit: Duration
    private var elapsed = Duration.zero

    init(_ limit: Duration) { self.limit = limit }

    mutating func check() { elapsed = ContinuousClock.now - start }

    var isYoung: Bool { elapsed < .milliseconds(1) }
    var isOver: Bool { elapsed > limit }
}
