/// Receives the numbered results of several singles. `Single.subscribe(_:number:)` allocates one object,
/// where closures need three. An `Emitter` needs none, because it reports to the receiver itself.
@usableFromInline
package protocol SingleReceiver<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// Exactly one of the two is called, once. A stream that completes without a value fails with
    /// `RxError.noElements`.
    func succeeded(_ value: consuming Value, number: Int)
    func failed(_ error: any Error, number: Int)

    /// Identifies the context of its subscriptions, a `SubscriberContext` that it retains; nil if it does not
    /// know it.
    var subscriberContext: ObjectIdentifier? { get }

    /// Whether it keeps the links of its subscriptions until its record is read, so that a call need not
    /// record itself.
    static var keepsLinks: Bool { get }
}

extension SingleReceiver {
    package var subscriberContext: ObjectIdentifier? { nil }
    package static var keepsLinks: Bool { true }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// Subscribes a receiver and retains it until it gets `number` with the result. `stop()` on the link ends
    /// it.
    @inlinable
    package consuming func subscribe(_ receiver: any SingleReceiver<Element>, number: Int) -> Link {
        Observable.subscribe(source, receiver, number)
    }
}

// Sound: it adds only constants and an atomic.
@usableFromInline
final class NumberedSubscriber<In: Sendable>: Subscriber<In>, @unchecked Sendable {
    private let receiver: any SingleReceiver<In>
    private let number: Int
    private let hasReported = RelaxedAtomic(false)

    @usableFromInline
    init(_ receiver: any SingleReceiver<In>, _ number: Int) {
        self.receiver = receiver
        self.number = number
        super.init()
    }

    override func receive(_ value: In) {
        guard !hasReported.value else { return }
        hasReported.set(true)
        receiver.succeeded(value, number: number)
    }

    override func receive(error: any Error) {
        if !hasReported.value { receiver.failed(error, number: number) }
    }

    override func receivedCompletion() {
        receive(error: RxError.noElements)
    }
}
