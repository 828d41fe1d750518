import FoundationEssentials
import HTTPModel
import Locking
import Networking
import Rx

/// The check of one request's caller, and its result. It begins with the head and may go on in the run.
package final class RequestAccess: Sendable {
    let plan: AccessPlan
    private let check: Lock<AccessCheck>
    /// What the head alone leads to.
    let first: AccessCheck.Step
    /// Tells upstreams of the caller; nil if no entry of the endpoint sends anything.
    let caller: CallerFields?

    /// The head has been received.
    ///
    /// - Parameters:
    ///   - verified: the tokens that the loop has verified.
    ///   - transport: has the clocks.
    init(
        _ plan: AccessPlan, _ head: HTTPRequestHead, from client: IPAddress?, verified: AccessLoop,
        at transport: any Transport
    ) {
        self.plan = plan
        var check = AccessCheck(plan, head.fields, from: client, verified: verified)
        first = check.headReceived(head, at: AccessCheck.Moment(transport))
        caller = plan.sends ? CallerFields() : nil
        let due = check.takeDue()
        self.check = Lock(check)
        for keys in due { keys.fetch() }
        if case .admitted = first { tellUpstreams() }
    }

    /// The error with which the head alone refuses the request.
    var headError: GatewayError? { if case .refused(let error) = first { error } else { nil } }

    /// Nil before it is known, and for an unknown caller.
    var identity: Identity? { check.withLock { $0.identity } }

    /// How the check ended, or stands.
    package var note: AccessNote { check.withLock { $0.noted } }

    /// Calls `body` with how the check ended, or stands. Copies nothing. `body` must not come back here.
    package func withNote(_ body: (borrowing AccessNote) -> Void) { check.withLock { body($0.noted) } }

    /// Whether the check has ended, and the request may go on.
    package var isAdmitted: Bool { check.withLock { $0.isAdmitted } }

    /// Adds the fields of any answer.
    func addFields(to fields: inout HTTPFields) { check.withLock { $0.addFields(to: &fields) } }

    /// Passes an event to the check.
    func changed(
        in environment: GatewayEnvironment,
        by event: (inout AccessCheck, AccessCheck.Moment) -> AccessCheck.Step
    ) -> AccessCheck.Step {
        let moment = AccessCheck.Moment(environment.transport)
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
        guard let caller, let identity, case .success(let fields) = identity.sent else { return }
        caller.set(fields)
    }
}

extension AccessCheck.Moment {
    /// - Parameter transport: has the clocks.
    init(_ transport: any Transport) {
        self.init(
            wall: Int64(saturating: transport.wallTime.timeIntervalSince1970.rounded(.down)),
            now: transport.scheduler.now.nanoseconds)
    }
}
