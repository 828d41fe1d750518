import Dispatch
import HTTPModel
import Rx

/// The transport of stubbed calls: it responds with a sample and sends nothing.
final class SampleTransport: Transport {
    let scheduler: any SchedulerType
    let fields: HTTPFields
    let fieldsWithoutContext: HTTPFields
    private let clock: @Sendable () -> RxTime
    private let sample: SampleResponse
    private let delay: Duration

    var wallTime: RxTime { clock() }

    /// Creates a transport that replaces another one and sends the same default fields.
    ///
    /// - Parameter scheduler: measures the delay; nil for the other transport's scheduler.
    init(
        _ sample: SampleResponse, after delay: Duration, on scheduler: (any SchedulerType)?,
        replacing replaced: any Transport
    ) {
        self.sample = sample
        self.delay = delay
        self.scheduler = scheduler ?? replaced.forOneCall().scheduler
        clock = { scheduler?.now ?? replaced.wallTime }
        fields = replaced.fields
        fieldsWithoutContext = replaced.fieldsWithoutContext
    }

    func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
        -> any Disposable
    {
        sample.deliver(
            to: receiver, of: call, after: delay > .zero ? delay : nil, within: limit.nanoseconds,
            on: scheduler)
    }

    func beginRetry(to upstream: Upstream) -> RetryObstacle? { nil }
    func endRetry(to upstream: Upstream) {}
}
