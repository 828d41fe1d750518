import Locking
import Synchronization

/// What a subscriber belongs to, such as a request that a gateway handles.
///
/// Where subscribers of several contexts meet, as in subjects and shared streams, each gets its events in its
/// own context. The shared subscription runs in the context in which the stream was made. (The requirements
/// use no type of another module, as `AttemptLog` explains.)
package protocol SubscriberContext: AnyObject, Sendable {
    /// The context of the code that runs.
    static var running: (any SubscriberContext)? { get }

    static func run(in context: (any SubscriberContext)?, _ work: () -> Void)

    /// Whether what the context stands for is over.
    var hasEnded: Bool { get }

    func isSame(as other: any SubscriberContext) -> Bool

    /// The clock of the context; nil if it has none of its own.
    var scheduler: (any SchedulerType)? { get }

    /// Returns this context for work that others may join.
    func sharing(_ work: SharedWork) -> any SubscriberContext

    /// Work of the context goes to the main queue, which one thread serves for the whole process.
    func noteMainQueue()

    /// The failure of a subscriber that joins work that belongs to this context.
    var refusal: any Error { get }
}

/// Whether the work of a shared stream belongs to one context or is joined by others. The first of the two
/// excludes the other.
package final class SharedWork: Sendable {
    private let state = Atomic<UInt8>(0)

    private static var owned: UInt8 { 1 }
    private static var joined: UInt8 { 2 }

    init() {}

    /// Returns whether the work may use its context. If so, nobody else may join from now on.
    package func use() -> Bool { become(Self.owned) }

    /// Returns whether a subscriber of another context may join. If so, the work may not use its context from
    /// now on.
    func join() -> Bool { become(Self.joined) }

    private func become(_ new: UInt8) -> Bool {
        let (isFirst, old) = state.compareExchange(
            expected: 0, desired: new, ordering: .acquiringAndReleasing)
        return isFirst || old == new
    }
}

/// The contexts of the process. Empty without a gateway.
package enum SubscriberContexts {
    private static let setType = Lock<(any SubscriberContext.Type)?>(nil)
    /// Made by its first use, which comes after `use(_:)`.
    private static let type = setType.withLock { $0 }
    private static let isSet = Atomic<Bool>(false)

    /// Sets the type of all contexts. Call it before the first context is made.
    package static func use(_ type: any SubscriberContext.Type) {
        setType.withLock { $0 = $0 ?? type }
        isSet.store(true, ordering: .releasing)
    }

    static var areUsed: Bool { isSet.load(ordering: .acquiring) }

    static var running: (any SubscriberContext)? { areUsed ? type?.running : nil }

    /// Does `work` in `context`. Only for use if contexts are used.
    @inline(never)
    static func run(in context: (any SubscriberContext)?, _ work: () -> Void) {
        if running === context { return work() }
        type?.run(in: context, work)
    }
}

/// The context of a shared stream's only subscription: the one in which the stream was made.
struct SharedContext: Sendable {
    private let context: (any SubscriberContext)?
    /// Nil outside a context.
    private let work: SharedWork?

    init() {
        context = SubscriberContexts.running
        work = context == nil ? nil : SharedWork()
    }

    /// Returns why the running code may not subscribe; nil if it may.
    var refusal: (any Error)? {
        guard let context, let work else { return nil }
        guard isForeign(to: context), !work.join() else { return nil }
        return context.refusal
    }

    /// Whether the running code certainly belongs to another context. On other threads nothing tells its
    /// context.
    private func isForeign(to context: any SubscriberContext) -> Bool {
        guard let running = SubscriberContexts.running else { return context.hasEnded }
        return !running.isSame(as: context)
    }

    /// Subscribes to the source.
    func start<Element: Sendable>(_ source: Observable<Element>, _ step: InnerStep<Element>) {
        guard SubscriberContexts.areUsed else { return startStream(source, Downstream(step)) }
        let running = SubscriberContexts.running
        guard let context, let work else {
            if running == nil { return startStream(source, Downstream(step)) }
            return start(source, step, in: nil)
        }
        if isForeign(to: context) { _ = work.join() }
        let isOwn = running?.isSame(as: context) == true
        // The part's context, if a part subscribes.
        start(source, step, in: (isOwn ? running ?? context : context).sharing(work))
    }

    /// With a trampoline of its own, because the work on the thread's trampoline runs in another context.
    private func start<Element: Sendable>(
        _ source: Observable<Element>, _ step: InnerStep<Element>, in context: (any SubscriberContext)?
    ) {
        SubscriberContexts.run(in: context) {
            Trampoline.nested { startStream(source, Downstream(step)) }
        }
    }
}
