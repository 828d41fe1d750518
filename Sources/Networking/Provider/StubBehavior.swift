public import Rx

/// Whether a provider responds to a call with its target's `sampleResponse` instead of sending it (Moya's
/// `StubBehavior`). Plugins, interceptors, validation, redirects, retries and time limits apply as to a real call.
public enum StubBehavior: Sendable {
    /// Sends the call.
    case never
    /// Returns the sample at once.
    case immediate
    /// Returns the sample after a delay.
    ///
    /// - Parameter scheduler: measures the delay. Default nil: the scheduler of the provider's transport.
    case delayed(Duration, scheduler: (any SchedulerType)? = nil)
}

extension Provider {
    /// Chooses the stub behavior for a target.
    public typealias StubClosure = @Sendable (Target) -> StubBehavior

    /// Sends every call.
    public static var neverStub: StubClosure { { _ in .never } }

    /// Stubs every call without a delay.
    public static var immediatelyStub: StubClosure { { _ in .immediate } }

    /// Stubs every call with a delay.
    public static func delayedStub(
        _ delay: Duration, scheduler: (any SchedulerType)? = nil
    ) -> StubClosure {
        { _ in .delayed(delay, scheduler: scheduler) }
    }

    /// Returns the target's settings: the provider's own, or a copy with a transport that returns the sample.
    func settings(for target: Target) -> ProviderSettings {
        guard let stub else { return settings }
        let (delay, scheduler): (Duration, (any SchedulerType)?)
        switch stub(target) {
        case .never: return settings
        case .immediate: (delay, scheduler) = (.zero, nil)
        case .delayed(let time, let its): (delay, scheduler) = (time, its)
        }
        let replaced = settings.transport
        let transport = StubTransport(
            scheduler: scheduler ?? replaced.forOneCall().scheduler,
            wallTime: { scheduler?.now ?? replaced.wallTime }, fields: replaced.fields,
            fieldsWithoutContext: replaced.fieldsWithoutContext)
        transport.answer(StubTransport.Answer(target.sampleResponse, after: delay))
        return settings.withTransport(transport)
    }
}
