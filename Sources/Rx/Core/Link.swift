/// What every step of a running pipeline has in common, whatever its element: the events without a value,
/// and the way back to what feeds it.
///
/// A pipeline is described by the objects that run it. Subscribing takes each step that nobody else holds as
/// it is, and a copy of each that somebody still holds. A running step owns the step after it (`down`, set once
/// before the first event, released with the step) and every *stateful* step owns the stateful step
/// before it (in a `LinkSlot`). That cycle is broken by the terminal event or by disposal.
///
/// Sound as Sendable: a step's description is written before anybody can subscribe, its running state before
/// its first event; what changes later is atomic, behind a `Lock`, owned by a `SerialGate`, or touched only by the
/// one event at a time that the grammar `next* (error | completed)?` allows.
open class Link: @unchecked Sendable {
    #if DEBUG || TRACE_RESOURCES
        private let counted = CountedResource()
    #endif

    @usableFromInline
    init() {}

    /// `upstream` now feeds this step: it is what to stop when the subscription ends. A stateful step keeps it,
    /// a stateless one passes it on. What was attached before has sent its end.
    func attach(_ upstream: Link) {}

    func error(_ error: any Error) {}

    func completed() {}

    /// The subscription ended below: stop what is above. Idempotent, from any thread.
    package func stop() {}

    /// The step below has received an end, or what goes on after it. One that has passed that end on lets go by itself, once
    /// the event has returned; one that has not, because a closure below it threw, is stopped.
    func endReceived() {
        stop()
    }

    /// Its turn has come: on the current thread's trampoline, or among the sources of a join.
    func resume() {}

    /// Gives up the source it describes; where it has several, the others go to `others`.
    func unlink(_ others: inout [Link]) -> Link? { nil }

    /// Frees a description and, in a loop, what it alone holds: each freeing the one before it would take stack for each,
    /// and a chain can be a million long.
    final class func free(_ description: consuming Link?) {
        var next = consume description
        var waiting: [Link] = []
        while var link = next.take() ?? waiting.popLast() {
            if isKnownUniquelyReferenced(&link) { next = link.unlink(&waiting) }
        }
    }
}
