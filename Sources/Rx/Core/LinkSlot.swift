import Locking
import Synchronization

/// Holds the link that feeds a stateful step, in one atomic word. A slot is open, with or without a retained
/// link, then possibly ending, then closed for good. After `end()` no event passes, but the link stays until
/// the end has been passed on, so that a stop from downstream still reaches it. The caller that closes the
/// slot decides the end. The caller that empties it releases the step's resources.
// Sound: a word holds one retain of its link, and the caller that exchanges the word takes over that retain.
struct LinkSlot: ~Copyable {
    private static var empty: UInt { 0 }
    private static var closed: UInt { 1 }
    /// The bits of a slot that is ending. The other bits are its link.
    fileprivate static var ending: UInt { 3 }

    private let word = Atomic<UInt>(LinkSlot.empty)

    init() {}

    deinit {
        LinkSlot.release(word.load(ordering: .relaxed))
    }

    /// Whether the stream has ended here or was stopped.
    var isClosed: Bool { word.load(ordering: .relaxed) & LinkSlot.closed != 0 }

    /// Whether the slot has been emptied after the end.
    var isClosedForGood: Bool { word.load(ordering: .relaxed) == LinkSlot.closed }

    /// Whether the slot is open and has no link.
    var isEmpty: Bool { word.load(ordering: .relaxed) == LinkSlot.empty }

    /// Replaces the old link, which has sent its end. A closed slot stops `link`. A link replaces itself if
    /// the steps between it and this slot have left the chain.
    func set(_ link: Link) {
        let old = exchange(link)
        if old != LinkSlot.empty { LinkSlot.replaced(old, by: link) }
    }

    @inline(never)
    private static func replaced(_ word: UInt, by link: Link) {
        guard let old = take(word), old !== link else { return }
        old.endReceived()
    }

    /// Replaces the old link and stops it. A closed slot stops `link`.
    func stopAndSet(_ link: Link) {
        LinkSlot.stop(exchange(link))
    }

    /// Stores `link`. Returns the old word, for the caller to release.
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

    /// Empties the slot and stops its link. A closed slot stays closed.
    func clear() {
        LinkSlot.stop(takeOut())
    }

    /// Empties the slot after its link has sent an end, for a step that continues or holds the end back. If
    /// that end came from a closure that threw, its source still runs and is stopped.
    func emptyAfterEnd() {
        LinkSlot.take(takeOut())?.endReceived()
    }

    /// Empties the slot if it is open. Returns the old word, for the caller to release.
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

    /// Begins the end. The caller passes it on, then stops its step. Returns false if the end has already
    /// begun.
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

    /// Closes the slot for good. Returns its link for the caller to stop, or nil if it was already closed.
    func close() -> ClosedLink? {
        guard word.load(ordering: .relaxed) != LinkSlot.closed else { return nil }
        let old = word.exchange(LinkSlot.closed, ordering: .acquiringAndReleasing)
        return old == LinkSlot.closed ? nil : ClosedLink(word: old)
    }

    /// Closes the slot for good and stops its link. Returns whether the caller releases the step's other
    /// resources.
    @discardableResult
    func closeAndStop() -> Bool {
        guard word.load(ordering: .relaxed) != LinkSlot.closed else { return false }
        let old = word.exchange(LinkSlot.closed, ordering: .acquiringAndReleasing)
        guard old != LinkSlot.closed else { return false }
        LinkSlot.stop(old)
        return true
    }

    /// The same, but leaves it to `stops` to stop the link.
    @inline(__always)
    @discardableResult
    func close(_ stops: inout DisposalStack) -> Bool {
        guard word.load(ordering: .relaxed) != LinkSlot.closed else { return false }
        let old = word.exchange(LinkSlot.closed, ordering: .acquiringAndReleasing)
        guard old != LinkSlot.closed else { return false }
        HeldLocks.assertNone()
        let link = old & ~LinkSlot.ending
        if link != 0 { stops.push(word: link) }
        return true
    }

    /// Closes the slot for good after its link has sent an end. Only releases the link if it is `sender`,
    /// which feeds another step from now on.
    func closeAfterEnd(of sender: Link?) {
        let old = LinkSlot.take(word.exchange(LinkSlot.closed, ordering: .acquiringAndReleasing))
        if let old, old !== sender { old.endReceived() }
    }

    /// Closes the slot for good after its link has sent an end.
    func closeAfterEnd() {
        LinkSlot.take(word.exchange(LinkSlot.closed, ordering: .acquiringAndReleasing))?.endReceived()
    }

    fileprivate static func stop(_ word: UInt) {
        HeldLocks.assertNone()
        let link = word & ~ending
        if link != 0 { DisposalStack.run(link) }
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

/// The link of a closed slot. Dropping this stops the link, exactly once.
struct ClosedLink: ~Copyable {
    fileprivate let word: UInt

    deinit {
        LinkSlot.stop(word)
    }

    /// Puts the link on `stops`.
    consuming func stop(_ stops: inout DisposalStack) {
        let word = self.word
        discard self
        HeldLocks.assertNone()
        let link = word & ~LinkSlot.ending
        if link != 0 { stops.push(word: link) }
    }

    /// Returns the link for the caller to stop.
    consuming func take() -> Link? {
        let word = self.word
        discard self
        return LinkSlot.take(word)
    }

    /// Stops the link now.
    consuming func stop() {}
}
