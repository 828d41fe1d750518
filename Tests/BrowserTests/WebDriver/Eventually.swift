import Dispatch
import Rx

struct NotInTime: Error, CustomStringConvertible {
    let what: String
    let limit: Duration
    var last: (any Error)?

    var description: String {
        "not within \(limit): \(what)" + (last.map { " (\($0))" } ?? "")
    }
}

/// Repeats `question` every 20 ms until it returns a value.
///
/// Transient `WebDriverError`s are retried; other errors are rethrown. `what` is the expectation as a
/// sentence, for the error.
func answer<Answer: Sendable>(
    _ what: String, within limit: Duration = .seconds(15),
    _ question: @Sendable () async throws -> Answer?
) async throws -> Answer {
    let end = ContinuousClock.now + limit
    var last: (any Error)?
    repeat {
        do {
            if let answer = try await question() { return answer }
            last = nil
        } catch let error as WebDriverError where error.isTransient {
            last = error
        }
        _ = try await Single<Int>.timer(.milliseconds(20), scheduler: breath).value
    } while ContinuousClock.now < end
    throw NotInTime(what: what, limit: limit, last: last)
}

/// Waits until the condition holds. It has its own name because an overload of `answer` would be ambiguous.
func eventually(
    _ what: String, within limit: Duration = .seconds(15), _ isSo: @Sendable () async throws -> Bool
) async throws {
    _ = try await answer(what, within: limit) { try await isSo() ? true : nil }
}

private let breath = ConcurrentDispatchQueueScheduler(qos: .default)
