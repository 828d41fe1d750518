import Dispatch
import Rx

/// What was waited for did not come about.
struct NotInTime: Error, CustomStringConvertible {
    let what: String
    let limit: Duration
    var last: (any Error)?

    var description: String {
        "not within \(limit): \(what)" + (last.map { " (\($0))" } ?? "")
    }
}

/// Asks again, a breath apart, until there is an answer.
///
/// - Parameters:
///   - what: of what is waited for, as a sentence, for the failure.
///   - question: nil: not yet. What it throws is the failure unless it is a `WebDriverError` that passes.
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

/// The same for what is either so or not yet. Of another name: by its closure alone a compiler would tell them apart as it likes.
func eventually(
    _ what: String, within limit: Duration = .seconds(15), _ isSo: @Sendable () async throws -> Bool
) async throws {
    _ = try await answer(what, within: limit) { try await isSo() ? true : nil }
}

private let breath = ConcurrentDispatchQueueScheduler(qos: .default)
