import FoundationEssentials
import HTTPModel
import Locking
import Networking
import Rx

/// The check of one request's caller, and its result. It begins with the head and may go on in the run.
package final class RequestAccess: Sendable {
    private let check: Lock<AccessCheck>
    /// What the head alone leads to.
    let first: AccessCheck.Step
    /// Bytes that fields of limits take in an answer.
    let fieldRoom: Int
    /// Tells upstreams of the caller; nil if no entry of the endpoint sends anything.
    let caller: CallerFields?

    /// - Parameters:
    ///   - check: of a request whose head has been received.
    ///   - first: what the head alone leads to.
    init(_ check: consuming AccessCheck, _ first: AccessCheck.Step) {
        self.first = first
        fieldRoom = check.plan.limits?.fieldRoom ?? 0
        caller = check.plan.sends ? CallerFields() : nil
        let due = check.takeDue()
        self.check = Lock(check)
        for keys in due { keys.fetch() }
        if case .admitted = first { tellUpstreams() }
    }

    /// The error with which the head alone refuses the request.
    var headError: GatewayError? { if case .refused(let error) = first { error } else { nil } }

    /// Nil before it is known, and for an unknown caller.
    var identity: Identity? { check.withLock { $0.identity } }

    /// The client's address; nil for a Unix socket.
    var client: IPAddress? { check.withLock { $0.client } }

    /// How the check ended, or stands.
    package var note: AccessNote { check.withLock { $0.noted } }

    /// Calls `body` with how the check ended, or stands. Copies nothing. `body` must not come back here.
    package func withNote(_ body: (borrowing AccessNote) -> Void) { check.withLock { body($0.noted) } }

    /// Whether the check has ended, and the request may go on.
    package var isAdmitted: Bool { check.withLock { $0.isAdmitted } }

    /// Adds the fields of any answer.
    func addFields(to fields: inout HTTPFields) { check.withLock { $0.addFields(to: &fields) } }

    /// Passes an event to the check.
    ///
    /// - Parameter transport: has the clocks.
    func changed(
        on transport: any Transport,
        by event: (inout AccessCheck, AccessCheck.Moment) -> AccessCheck.Step
    ) -> AccessCheck.Step {
        let moment = AccessCheck.Moment(transport, for: check.withLock { $0.plan })
        let (step, due) = check.withLock { (event(&$0, moment), $0.takeDue()) }
        for keys in due { keys.fetch() }
        if case .admitted = step { tellUpstreams() }
        return step
    }

    /// A claim could not be used: see `AccessCheck.claimIsUnfit`.
    func claimIsUnfit(_ reason: String) { check.withLock { $0.claimIsUnfit(reason) } }

    /// The request is answered with 403 after it was admitted.
    func answersForbidden() { check.withLock { $0.answersForbidden() } }

    private func tellUpstreams() {
        guard let caller, let identity, case .success(let values) = identity.sent else { return }
        caller.set(values)
    }
}

extension AccessCheck {
    /// The times of an event.
    struct Moment: Sendable {
        /// Seconds since 1970.
        let wall: Int64
        /// Nanoseconds on the clock of calls.
        let now: Int64
    }
}

extension AccessCheck.Moment {
    /// Reads the clocks that the checks of a plan need: reading one costs more than most checks.
    ///
    /// - Parameter transport: has the clocks.
    init(_ transport: any Transport, for plan: AccessPlan) {
        let needsTime = plan.hasTokens || plan.limits != nil
        self.init(
            wall: plan.hasTokens
                ? Int64(saturating: transport.wallTime.timeIntervalSince1970.rounded(.down)) : 0,
            now: needsTime ? transport.scheduler.now.nanoseconds : 0)
    }
}
