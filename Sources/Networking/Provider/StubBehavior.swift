public import Rx

/// Whether a provider answers a call itself, with its target's `sampleResponse`, instead of sending it (Moya's `StubBehavior`).
/// All else is as with a real call: plugins, interceptors, validation, redirects, retries, time limits.
public enum StubBehavior: Sendable {
    /// The call is sent.
    case never
    /// The sample comes as the call is subscribed to.
    case immediate
    /// The sample comes after a time.
    ///
    /// - Parameter scheduler: whose time; nil: that of the provider's transport.
    case delayed(Duration, scheduler: (any SchedulerType)? = nil)
}

extension Provider {
    /// Says for each target how it is stubbed.
    public typealias StubClosure = @Sendable (Target) -> StubBehavior

    /// Every call is sent.
    public static var neverStub: StubClosure { { _ in .never } }

    /// Every call is answered at once.
    public static var immediatelyStub: StubClosure { { _ in .immediate } }

    /// Every call is answered after a time.
    public static func delayedStub(
        _ delay: Duration, scheduler: (any SchedulerType)? = nil
    ) -> StubClosure {
        { _ in .delayed(delay, scheduler: scheduler) }
    }

    /// What makes the call: the provider's own, or one whose transport knows the sample alone.
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
        return settings.over(transport)
    }
}
