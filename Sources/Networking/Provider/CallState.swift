import HTTPModel
import Rx

/// What a running call holds, under its lock.
struct CallState: Sendable {
    /// The result of an attempt. Indirect because few calls store one.
    indirect enum Outcome: Sendable {
        case response(TransportResponse, RareParts?)
        case failure(TransportError)

        /// Whether the upstream has answered with a success, and only the rest of the request could not be
        /// sent.
        var followsSuccess: Bool {
            if case .failure(let error) = self { error.status != nil } else { false }
        }

        var status: HTTPStatus? { if case .response(let response, _) = self { response.status } else { nil } }

        var error: TransportError? { if case .failure(let error) = self { error } else { nil } }
    }

    // The first attempt counts from the start, because `begin()` sends it at once.
    var retry = RetryMachine(attempts: 1)
    var attempt: (any Disposable)?
    /// The timer between two attempts. Every wait ends within the call's total time.
    var wait: TimerToken?
    /// Nil before the first retry.
    var retried: RetriedCall?
    /// Whether a retry was taken from the budget and not yet given back.
    var holdsRetry = false
    var isOver = false
}

/// What a retried call remembers. Separate, because few calls are retried.
final class RetriedCall: Sendable {
    /// What the last attempt ended with.
    let outcome: CallState.Outcome
    /// Whether a retry went to another address without the budget.
    let hasMovedFreely: Bool
    /// The number of its attempts in the request's log; nil if they have no entries.
    let number: Int?

    init(_ outcome: CallState.Outcome, hasMovedFreely: Bool, _ number: Int?) {
        self.outcome = outcome
        self.hasMovedFreely = hasMovedFreely
        self.number = number
    }
}
