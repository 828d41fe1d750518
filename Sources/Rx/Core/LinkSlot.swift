import Locking
import Synchronization

/// The place where a stateful step keeps what feeds it: one atomic word that is empty, holds a retained link, or
/// is closed for good. Closed doubles as the step's "ended" flag: whoever closes it decides the end.
struct LinkSlot: ~Copyable {
    private static var empty: UInt { 0 }
    private static var closed: UInt { 1 }

    private let word = Atomic<UInt>(LinkSlot.empty)

    init() {}

    deinit {
        LinkSlot.release(word.load(ordering: .relaxed))
    }

    var isClosed: Bool {
        word.load(ordering: .relaxed) == LinkSlot.closed
    }

    /// Whether nothing has been kept in it yet, and it is open.
    var isEmpty: Bool {
        word.load(ordering: .relaxed) == LinkSlot.empty
    }

    /// Keeps `link` in place of what was there, which is stopped; stops `link` itself when the slot is closed.
    func set(_ link: Link) {
        let new = UInt(bitPattern: Unmanaged.passRetained(link).toOpaque())
        var current = word.load(ordering: .acquiring)
        while current != LinkSlot.closed {
            let (exchanged, original) = word.weakCompareExchange(
                expected: current, desired: new, ordering: .acquiringAndReleasing)
            if exchanged {
                LinkSlot.stop(current)
                return
            }
            current = original
        }
        LinkSlot.stop(new)
    }

    /// Empties the slot and stops what was in it. A closed one stays closed.
    func clear() {
        var current = word.load(ordering: .acquiring)
        while current > LinkSlot.closed {
            let (exchanged, original) = word.weakCompareExchange(
                expected: current, desired: LinkSlot.empty, ordering: .acquiringAndReleasing)
            if exchanged { return LinkSlot.stop(current) }
            current = original
        }
    }

    /// Closes the slot. `nil` when it was closed before, else what was in it, to be stopped by the caller once
    /// it has told the steps below.
    func close() -> ClosedLink? {
        let old = word.exchange(LinkSlot.closed, ordering: .acquiringAndReleasing)
        return old == LinkSlot.closed ? nil : ClosedLink(word: old)
    }

    /// Closes the slot and stops what was in it. Whether it was open.
    @discardableResult
    func closeAndStop() -> Bool {
        guard !isClosed else { return false }
        let old = word.exchange(LinkSlot.closed, ordering: .acquiringAndReleasing)
        guard old != LinkSlot.closed else { return false }
        LinkSlot.stop(old)
        return true
    }

    fileprivate static func stop(_ word: UInt) {
        HeldLocks.assertNone()
        take(word)?.stop()
    }

    fileprivate static func take(_ word: UInt) -> Link? {
        guard word > closed, let pointer = UnsafeRawPointer(bitPattern: word) else { return nil }
        return Unmanaged<Link>.fromOpaque(pointer).takeRetainedValue()
    }

    private static func release(_ word: UInt) {
        guard word > closed, let pointer = UnsafeRawPointer(bitPattern: word) else { return }
        Unmanaged<Link>.fromOpaque(pointer).release()
    }
}

/// What a closed slot held. Dropping it stops it, so it can be neither forgotten nor stopped twice.
struct ClosedLink: ~Copyable {
    fileprivate let word: UInt

    deinit {
        LinkSlot.stop(word)
    }

    /// Hands the link over to somebody who will stop it.
    consuming func take() -> Link? {
        let word = self.word
        discard self
        return LinkSlot.take(word)
    }

    /// Stops it now.
    consuming func stop() {}
}
