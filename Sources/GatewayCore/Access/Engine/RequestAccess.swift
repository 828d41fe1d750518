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
    /// Whether the head has decided that the request is refused, so that nobody reads its body. A store may
    /// have to count it before its answer.
    package let isRefused: Bool
    /// Tells upstreams of the caller; nil if no entry of the endpoint sends anything.
    let caller: CallerFields?

    /// The head has been received.
    init(
        _ plan: AccessPlan, _ head: HTTPRequestHead, from source: AccessSource,
        in environment: GatewayEnvironment
    ) {
        self.plan = plan
        var check = AccessCheck(
            plan, head.fields, from: source.client, verified: source.loop ?? environment.access.loop)
        first = check.headReceived(head, at: AccessCheck.Moment(environment.transport))
        isRefused = check.isRefused
        self.check = Lock(check)
        caller = plan.sends ? CallerFields() : nil
        if case .admitted = first { tellUpstreams() }
    }

    /// Nil before it is known, and for an unknown caller.
    var identity: Identity? { check.withLock { $0.identity } }

    /// How the check ended, or stands.
    package var note: AccessNote { check.withLock { $0.note } }

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
        let step = check.withLock { event(&$0, moment) }
        if case .admitted = step { tellUpstreams() }
        return step
    }

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
