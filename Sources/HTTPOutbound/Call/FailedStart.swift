internal import EventIO
internal import HTTPModel

/// The failure of a call that is told in the loop's next turn.
final class FailedStart: DeferredWork {
    private let call: OutboundCall
    private let reason: FailureReason
    private let detail: String

    init(_ call: OutboundCall, _ reason: FailureReason, _ detail: String) {
        self.call = call
        self.reason = reason
        self.detail = detail
    }

    /// Does nothing if the call was cancelled meanwhile.
    func runDeferred() { call.fail(reason, detail) }
}
