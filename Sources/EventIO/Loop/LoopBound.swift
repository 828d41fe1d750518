/// A loop-confined object in a Sendable wrapper.
///
/// `@unchecked Sendable` is sound: the object and what makes it are reached only on the loop's thread, and the object is
/// released there.
public final class LoopBound<Value: AnyObject>: @unchecked Sendable {
    public let loop: EventLoop
    // A `Value`, held as any object: to let it go looks up no metadata. Written by `makeValue` and in `deinit`.
    @usableFromInline var object: AnyObject?
    /// Makes the object at its first use; nil from then on.
    private var make: (@Sendable () -> Value)?

    /// On the loop only.
    public init(_ value: Value, loop: EventLoop) {
        loop.preconditionCurrent("a loop-bound value is made on its event loop")
        self.loop = loop
        object = value
    }

    /// An object that the loop makes when it first uses it. From any thread: nobody waits for the loop.
    public init(on loop: EventLoop, _ make: @escaping @Sendable () -> Value) {
        self.loop = loop
        self.make = make
    }

    /// The object. Stops the program on another thread than the loop's.
    @inlinable
    public var value: Value {
        loop.preconditionCurrent("a loop-bound value was read off its event loop")
        guard let object else { return makeValue() }
        return unsafeDowncast(object, to: Value.self)
    }

    @usableFromInline
    @inline(never)
    func makeValue() -> Value {
        guard let make = make.take() else {
            preconditionFailure("a loop-bound value was read while it was made")
        }
        let value = make()
        object = value
        return value
    }

    deinit {
        // The last reference went elsewhere: the object goes home to be released.
        if !loop.isCurrent { loop.release(object.take()) }
    }
}

extension EventLoop {
    /// Lets an object of the loop's go there, from whatever thread had the last reference to it: what its end touches is
    /// the loop's. Where the loop has ended nobody else can touch it, and it goes at once.
    fileprivate func release(_ object: consuming AnyObject?) {
        guard let last = consume object else { return }
        // As bits, so that this thread keeps no reference of its own: retained here, released there.
        let bits = UInt(bitPattern: Unmanaged.passRetained(consume last).toOpaque())
        if !execute({ Self.release(bits) }) { Self.release(bits) }
    }

    private static func release(_ bits: UInt) {
        UnsafeRawPointer(bitPattern: bits).map { Unmanaged<AnyObject>.fromOpaque($0).release() }
    }
}
