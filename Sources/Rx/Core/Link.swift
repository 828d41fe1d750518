/// The base class of all pipeline steps, independent of their element: events without a value, and the way
/// upstream.
///
/// The objects that describe a pipeline also run it. Subscribing runs a step itself if it has no other owner,
/// else a copy. A running step owns the next step (`down`, set once before the first event, released with the
/// step). A *stateful* step also owns the stateful step before it, in a `LinkSlot`. The terminal event or
/// disposal breaks that cycle.
// Sound: it adds only constants, and so do most steps. Otherwise the description is written before anyone can
// subscribe, and the running state before the first event. What changes later is atomic, behind a `Lock`,
// owned by a `SerialGate`, or touched only by the current event: the grammar `next* (error | completed)?`
// allows one at a time.
open class Link: @unchecked Sendable {
    #if DEBUG || TRACE_RESOURCES
        private let counted = CountedResource()
    #endif

    @usableFromInline
    init() {}

    /// Tells the step what feeds it, to be stopped when the subscription ends. A stateful step keeps
    /// `upstream`, a stateless one passes it on. The link attached before has sent its end.
    func attach(_ upstream: Link) {}

    func error(_ error: any Error) {}

    func completed() {}

    /// Stops what feeds the step, because the subscription has ended downstream. Idempotent, from any thread.
    // Not inlined, because a step below has usually stopped this one already.
    @inline(never)
    package final func stop() {
        var stops = DisposalStack()
        stop(&stops)
        stops.run()
    }

    /// Puts what feeds the step on `stops`, because the subscription has ended downstream. Idempotent, from
    /// any thread.
    func stop(_ stops: inout DisposalStack) {}

    /// Whether it is a disposable whose `dispose()` does what `stop()` does.
    var isDisposedByStopping: Bool { false }

    /// Called if `stop(_:)` asked for it, after everything it put on the stack has stopped.
    func stopped(_ stops: inout DisposalStack) {}

    /// Tells the step that the step below has received an end or another source. If this step has sent that
    /// end, it frees its resources itself once the event returns. Otherwise a closure below it threw, and
    /// this step is stopped.
    func endReceived() {
        stop()
    }

    /// Continues work that waited on the current thread's trampoline or among the sources of a join.
    func resume() {}

    /// Moves out what this keeps alive: the source of a description, the step below a running one. More of
    /// them are appended to `others`. Called if nobody else owns this, which is about to be freed.
    func unlink(_ others: inout [Link]) -> Link? { nil }

    /// Returns the step after this one if this step only passes events on, and takes this step out of the
    /// chain. Called by the sender of its events, between two of them, which then attaches itself or a new
    /// source to the result. What feeds this step is released if it is `sender`. Otherwise it has ended, and
    /// is told so.
    func skipped(by sender: Link?) -> Link? { nil }

    /// Frees a description or a running step, and everything that it alone keeps alive, in a loop: a chain
    /// can be a million steps long, too deep for recursion. Steps that start streams in response to events
    /// call it for the step below them as they are freed, because each round of a recursive stream has such a
    /// step.
    @inline(__always)
    final class func free(_ link: consuming Link?) {
        // Most often somebody else still uses it.
        guard var link = consume link, isKnownUniquelyReferenced(&link) else { return }
        freeOwned(link)
    }

    @inline(never)
    private final class func freeOwned(_ link: consuming Link) {
        var waiting: [Link] = []
        var next = link.unlink(&waiting)
        _ = consume link
        while var link = next.take() ?? waiting.popLast() {
            if isKnownUniquelyReferenced(&link) { next = link.unlink(&waiting) }
        }
    }
}
