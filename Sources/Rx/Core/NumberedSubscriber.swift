/// Takes what several singles bring that are awaited together, each under its number.
///
/// `Single.subscribe(_:number:)` costs one object a single, where closures cost three, and none where an `Emitter` is the
/// single: that one tells the receiver itself.
@usableFromInline
package protocol SingleReceiver<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// One of the two is called, once. A stream that ends without a value, which is no single, fails with
    /// `RxError.noElements`.
    func succeeded(_ value: consuming Value, number: Int)
    func failed(_ error: any Error, number: Int)
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// Subscribes a receiver that is told `number` with the value or the error. It is kept alive until then.
    ///
    /// - Returns: the subscription: its `stop()` ends it.
    @inlinable
    package consuming func subscribe(_ receiver: any SingleReceiver<Element>, number: Int) -> Link {
        Observable.subscribe(source, receiver, number)
    }
}

// Sound: `Link` says what protects a step; of what this one adds only the one event at a time writes anything.
@usableFromInline
final class NumberedSubscriber<In: Sendable>: Subscriber<In>, @unchecked Sendable {
    private let receiver: any SingleReceiver<In>
    private let number: Int
    private let isTold = RelaxedAtomic(false)

    @usableFromInline
    init(_ receiver: any SingleReceiver<In>, _ number: Int) {
        self.receiver = receiver
        self.number = number
        super.init()
    }

    override func receive(_ value: In) {
        guard !isTold.value else { return }
        isTold.value = true
        receiver.succeeded(value, number: number)
    }

    override func receive(error: any Error) {
        if !isTold.value { receiver.failed(error, number: number) }
    }

    override func receivedCompletion() {
        receive(error: RxError.noElements)
    }
}
