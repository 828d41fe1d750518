/// The base class of all steps of a pipeline, independent of their element: events without a value, and the way upstream.
///
/// The objects that describe a pipeline also run it. Subscribing runs each step that nobody else holds, and a copy of each
/// step that somebody else holds. A running step owns the step after it (`down`, set once before the first event, released
/// with the step). Each *stateful* step owns the stateful step before it (in a `LinkSlot`). The terminal event or disposal
/// breaks that cycle.
///
/// Sound as Sendable: the description is written before anybody can subscribe, and the running state before the first event.
/// What changes later is atomic, behind a `Lock`, owned by a `SerialGate`, or touched only by the current event: the grammar
/// `next* (error | completed)?` allows one at a time.
open class Link: @unchecked Sendable {
    #if DEBUG || TRACE_RESOURCES
        private let counted = CountedResource()
    #endif

    @usableFromInline
    init() {}

    /// Tells the step what feeds it and has to be stopped when the subscription ends. A stateful step keeps `upstream`, a
    /// stateless one passes it on. What was attached before has sent its end.
    func attach(_ upstream: Link) {}

    func error(_ error: any Error) {}

    func completed() {}

    /// Stops what feeds the step, because the subscription has ended downstream. Idempotent, from any thread.
    package func stop() {}

    /// Tells the step that the one below has received an end or has been given another source. A step that has passed the end
    /// on releases its resources itself once the event returns. One that has not, because a closure below it threw, is stopped.
    func endReceived() {
        stop()
    }

    /// Continues work that has waited, on the current thread's trampoline or among the sources of a join.
    func resume() {}

    /// Moves the described source out. Further sources are appended to `others`.
    func unlink(_ others: inout [Link]) -> Link? { nil }

    /// Frees a description and what it alone holds, in a loop: recursion would need stack for each step, and a chain can be a
    /// million steps long.
    final class func free(_ description: consuming Link?) {
        var next = consume description
        var waiting: [Link] = []
        while var link = next.take() ?? waiting.popLast() {
            if isKnownUniquelyReferenced(&link) { next = link.unlink(&waiting) }
        }
    }
}
