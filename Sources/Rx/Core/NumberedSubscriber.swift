/// Takes what several singles bring that are awaited together, each under its number.
///
/// `Single.subscribe(_:number:)` costs one object a single, where closures cost three, and none where an `Emitter` is the
/// single: that one tells the receiver itself.
@usableFromInline
package protocol SingleReceiver<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

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

// Sound: `Link` says what protects a step; what this one adds is never written again.
@usableFromInline
final class NumberedSubscriber<In: Sendable>: Subscriber<In>, @unchecked Sendable {
    private let receiver: any SingleReceiver<In>
    private let number: Int

    @usableFromInline
    init(_ receiver: any SingleReceiver<In>, _ number: Int) {
        self.receiver = receiver
        self.number = number
        super.init()
    }

    override func receive(_ value: In) {
        receiver.succeeded(value, number: number)
    }

    override func receive(error: any Error) {
        receiver.failed(error, number: number)
    }
}
