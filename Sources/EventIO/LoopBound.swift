/// A loop-confined value in a Sendable wrapper.
///
/// `@unchecked Sendable` is sound: the value is reached only on the loop's thread, and released there.
public final class LoopBound<Value>: @unchecked Sendable {
    public let loop: EventLoop
    @usableFromInline var storage: Value?

    /// On the loop only.
    public init(_ value: Value, loop: EventLoop) {
        loop.preconditionCurrent("a loop-bound value is made on its event loop")
        self.loop = loop
        storage = value
    }

    /// The value. Stops the program on another thread than the loop's.
    @inlinable
    public var value: Value {
        get {
            loop.preconditionCurrent("a loop-bound value was read off its event loop")
            guard let storage else { preconditionFailure("a loop-bound value was read after its end") }
            return storage
        }
        set {
            loop.preconditionCurrent("a loop-bound value was set off its event loop")
            storage = newValue
        }
    }

    deinit {
        // The last reference went elsewhere: the value goes home to be released.
        if !loop.isCurrent { loop.release(Box(storage.take())) }
    }

    private final class Box {
        let value: Value?
        init(_ value: consuming Value?) { self.value = value }
    }
}

extension EventLoop {
    /// Lets an object of the loop's go there, from whatever thread had the last reference to it: what its end touches is
    /// the loop's. Where the loop has ended nobody else can touch it, and it goes at once.
    public func release(_ object: consuming AnyObject?) {
        guard let last = consume object else { return }
        // As bits, so that this thread keeps no reference of its own: retained here, released there.
        let bits = UInt(bitPattern: Unmanaged.passRetained(consume last).toOpaque())
        if !execute({ Self.release(bits) }) { Self.release(bits) }
    }

    private static func release(_ bits: UInt) {
        UnsafeRawPointer(bitPattern: bits).map { Unmanaged<AnyObject>.fromOpaque($0).release() }
    }
}
