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
        guard !loop.isCurrent else { return }
        // The last reference went elsewhere: the value goes home to be released.
        // In a box, so that this thread keeps no reference of its own: retained here, released there.
        let box = UInt(bitPattern: Unmanaged.passRetained(Box(storage.take())).toOpaque())
        let accepted = loop.execute { Self.release(box) }
        // The loop has ended: nobody else can touch the value.
        if !accepted { Self.release(box) }
    }

    private final class Box {
        let value: Value?
        init(_ value: consuming Value?) { self.value = value }
    }

    private static func release(_ box: UInt) {
        UnsafeRawPointer(bitPattern: box).map { Unmanaged<Box>.fromOpaque($0).release() }
    }
}
