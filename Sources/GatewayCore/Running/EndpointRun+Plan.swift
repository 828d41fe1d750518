import Locking
import Networking
import Rx

// Requests at planned endpoints.
extension EndpointRun {
    /// Reads the request's values and starts the plan: at once, or after a while if the body is large.
    func read(by plan: EndpointPlan) throws {
        let environment = responder.environment
        guard let submit = environment.workApart, plan.readsLargeBody(of: request) else {
            return try proceed(with: plan, try plan.read(request, .atOnce, in: environment))
        }
        try readApart(by: plan, submit)
    }

    private func readApart(by plan: EndpointPlan, _ submit: WorkApart) throws {
        let stage = state.withLock { $0.beginStage() }
        // Apart from the work, which stays in its queue if the request ends before.
        let waiting = WaitingRun(self)
        keep(waiting, of: stage)
        guard submit({ waiting.take()?.read(by: plan, stage) }) else { throw GatewayError.overloaded }
    }

    private func read(by plan: EndpointPlan, _ stage: Int) {
        let reading = Result { try plan.read(request, .apart, in: responder.environment) }
        let work = scheduler.schedule(()) { [self] in
            CallContext.$current.withValue(context) {
                attempt { try proceed(with: plan, try reading.get()) }
            }
            return Disposables.create()
        }
        keep(work, of: stage)
    }

    private func proceed(with plan: EndpointPlan, _ reading: RequestReading) throws {
        try proceed(to: plan.answer(to: request, reading, in: responder.environment), in: nil)
    }
}

/// A run until its work begins on another thread. Disposing it releases the run, and with it the body.
private final class WaitingRun: Disposable {
    private let run: Lock<EndpointRun?>

    init(_ run: EndpointRun) { self.run = Lock(run) }

    func take() -> EndpointRun? { run.withLock { $0.take() } }

    func dispose() { _ = take() }
}
