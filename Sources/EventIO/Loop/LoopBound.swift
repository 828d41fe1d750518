/// A Sendable wrapper around an object that belongs to one loop.
///
/// `@unchecked Sendable`: the object is created, used and released on the loop's thread only.
public final class LoopBound<Value: AnyObject>: @unchecked Sendable {
    /// The loop that owns the object.
    public let loop: EventLoop
    // Typed as `AnyObject`, since releasing a generic `Value` looks up metadata.
    @usableFromInline var object: AnyObject?
    private var make: (@Sendable () -> Value)?

    /// Wraps an object. Call it on the loop.
    public init(_ value: Value, loop: EventLoop) {
        loop.preconditionCurrent("a loop-bound value must be created on its event loop")
        self.loop = loop
        object = value
    }

    /// Wraps an object that the loop creates on first use. May be called on any thread.
    public init(on loop: EventLoop, _ make: @escaping @Sendable () -> Value) {
        self.loop = loop
        self.make = make
    }

    /// The object. Stops the program off the loop.
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
            preconditionFailure("a loop-bound value was read while it was being created")
        }
        let value = make()
        object = value
        return value
    }

    deinit {
        // Dropped on another thread: release the object on its loop.
        if !loop.isCurrent { loop.release(object.take()) }
    }
}

extension EventLoop {
    /// Releases an object on the loop. Releases it here if the loop has ended, since nothing else can touch
    /// it then.
    fileprivate func release(_ object: consuming AnyObject?) {
        guard let last = consume object else { return }
        // Passed as bits, so that this thread keeps no reference: retained here, released on the loop.
        let bits = UInt(bitPattern: Unmanaged.passRetained(consume last).toOpaque())
        if !execute({ Self.release(bits) }) { Self.release(bits) }
    }

    private static func release(_ bits: UInt) {
        UnsafeRawPointer(bitPattern: bits).map { Unmanaged<AnyObject>.fromOpaque($0).release() }
    }
}
