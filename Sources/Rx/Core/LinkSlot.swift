import Locking
import Synchronization

/// The place where a stateful step keeps what feeds it: one atomic word.
///
/// A slot is open, empty or with a retained link; then it may be ending; then it is closed for good. From `end()` on
/// nothing more passes, while what feeds the step stays in the slot until the end has been passed on: a stop from below
/// reaches it meanwhile. So who closes the slot decides the end, and who empties it lets go of what the step has.
struct LinkSlot: ~Copyable {
    private static var empty: UInt { 0 }
    private static var closed: UInt { 1 }
    /// The bits of a slot that is ending; the others are its link.
    private static var ending: UInt { 3 }

    private let word = Atomic<UInt>(LinkSlot.empty)

    init() {}

    deinit {
        LinkSlot.release(word.load(ordering: .relaxed))
    }

    /// Whether the stream has ended here, or was stopped.
    var isClosed: Bool {
        word.load(ordering: .relaxed) & LinkSlot.closed != 0
    }

    /// Whether nothing has been kept in it yet, and it is open.
    var isEmpty: Bool {
        word.load(ordering: .relaxed) == LinkSlot.empty
    }

    /// Keeps `link` in place of what was there, whose end the step has received. A closed slot stops `link`.
    func set(_ link: Link) {
        LinkSlot.take(exchange(link))?.endReceived()
    }

    /// Keeps `link` in place of what was there, and stops that. A closed slot stops `link`.
    func stopAndSet(_ link: Link) {
        LinkSlot.stop(exchange(link))
    }

    /// What was there, to be let go of.
    @inline(__always)
    private func exchange(_ link: Link) -> UInt {
        let new = UInt(bitPattern: Unmanaged.passRetained(link).toOpaque())
        var current = word.load(ordering: .acquiring)
        while current & LinkSlot.closed == 0 {
            let (exchanged, original) = word.weakCompareExchange(
                expected: current, desired: new, ordering: .acquiringAndReleasing)
            if exchanged { return current }
            current = original
        }
        LinkSlot.stop(new)
        return LinkSlot.empty
    }

    /// Empties the slot and stops what was in it. A closed one stays closed.
    func clear() {
        LinkSlot.stop(takeOut())
    }

    /// Empties the slot of what has sent its end, for a step that goes on after that or holds the end back. What a closure in
    /// between ended by throwing still runs: it is stopped.
    func emptyAfterEnd() {
        LinkSlot.take(takeOut())?.endReceived()
    }

    /// What was in the slot, if it is open, to be let go of.
    @inline(__always)
    private func takeOut() -> UInt {
        var current = word.load(ordering: .acquiring)
        while current & LinkSlot.closed == 0, current != LinkSlot.empty {
            let (exchanged, original) = word.weakCompareExchange(
                expected: current, desired: LinkSlot.empty, ordering: .acquiringAndReleasing)
            if exchanged { return current }
            current = original
        }
        return LinkSlot.empty
    }

    /// Begins the end: the caller passes it on, then stops its step. False where another has begun it.
    @inline(__always)
    func end() -> Bool {
        var current = word.load(ordering: .relaxed)
        while current & LinkSlot.closed == 0 {
            let (exchanged, original) = word.weakCompareExchange(
                expected: current, desired: current | LinkSlot.ending, ordering: .acquiringAndReleasing)
            if exchanged { return true }
            current = original
        }
        return false
    }

    /// Closes the slot for good. Nil where it was, else what was in it, which the caller stops when it is time.
    func close() -> ClosedLink? {
        let old = word.exchange(LinkSlot.closed, ordering: .acquiringAndReleasing)
        return old == LinkSlot.closed ? nil : ClosedLink(word: old)
    }

    /// Closes the slot for good and stops what was in it. Whether it was open or ending, so that the caller is the one who
    /// lets go of what the step has besides.
    @discardableResult
    func closeAndStop() -> Bool {
        guard word.load(ordering: .relaxed) != LinkSlot.closed else { return false }
        let old = word.exchange(LinkSlot.closed, ordering: .acquiringAndReleasing)
        guard old != LinkSlot.closed else { return false }
        LinkSlot.stop(old)
        return true
    }

    /// Closes the slot for good: the step has received the end of what was in it.
    func closeAfterEnd() {
        LinkSlot.take(word.exchange(LinkSlot.closed, ordering: .acquiringAndReleasing))?.endReceived()
    }

    fileprivate static func stop(_ word: UInt) {
        HeldLocks.assertNone()
        take(word)?.stop()
    }

    fileprivate static func take(_ word: UInt) -> Link? {
        guard let pointer = UnsafeRawPointer(bitPattern: word & ~ending) else { return nil }
        return Unmanaged<Link>.fromOpaque(pointer).takeRetainedValue()
    }

    private static func release(_ word: UInt) {
        guard let pointer = UnsafeRawPointer(bitPattern: word & ~ending) else { return }
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
