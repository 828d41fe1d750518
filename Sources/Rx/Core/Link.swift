/// The base class of all pipeline steps, independent of their element: events without a value, and the way upstream.
///
/// The objects that describe a pipeline also run it. Subscribing runs a step itself if it has no other owner, else a copy. A
/// running step owns the next step (`down`, set once before the first event, released with the step). A *stateful* step also owns
/// the stateful step before it, in a `LinkSlot`. The terminal event or disposal breaks that cycle.
// Sound: the description is written before anyone can subscribe, and the running state before the first event. What
// changes later is atomic, behind a `Lock`, owned by a `SerialGate`, or touched only by the current event: the
// grammar `next* (error | completed)?` allows one at a time.
open class Link: @unchecked Sendable {
    #if DEBUG || TRACE_RESOURCES
        private let counted = CountedResource()
    #endif

    @usableFromInline
    init() {}

    /// Tells the step what feeds it, to be stopped when the subscription ends. A stateful step keeps `upstream`, a
    /// stateless one passes it on. The link attached before has sent its end.
    func attach(_ upstream: Link) {}

    func error(_ error: any Error) {}

    func completed() {}

    /// Stops what feeds the step, because the subscription has ended downstream. Idempotent, from any thread.
    package func stop() {}

    /// Tells the step that the step below has received an end or another source. If this step has sent that end, it
    /// frees its resources itself once the event returns. Otherwise a closure below it threw, and this step is stopped.
    func endReceived() {
        stop()
    }

    /// Continues work that waited on the current thread's trampoline or among the sources of a join.
    func resume() {}

    /// Moves the described source out. Further sources are appended to `others`.
    func unlink(_ others: inout [Link]) -> Link? { nil }

    /// Frees a description and everything only it holds, in a loop: a chain can be a million steps long, too deep for recursion.
    final class func free(_ description: consuming Link?) {
        var next = consume description
        var waiting: [Link] = []
        while var link = next.take() ?? waiting.popLast() {
            if isKnownUniquelyReferenced(&link) { next = link.unlink(&waiting) }
        }
    }
}
