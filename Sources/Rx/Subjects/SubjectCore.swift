import Locking
import Synchronization

/// The subscribers of a subject and how it ended. Events are sent to a snapshot of the subscribers, outside
/// the lock.
struct SubjectCore: ~Copyable {
    enum End {
        case completed
        case failed(any Error)
    }

    struct State {
        var links: [Link] = []
        var end: End?
        var isDisposed = false

        /// Whether further events are ignored.
        var isOver: Bool { end != nil || isDisposed }

        /// Ends the subject and returns the subscribers to notify. Empty if it is over.
        mutating func end(_ end: End) -> [Link] {
            guard !isOver else { return [] }
            self.end = end
            return takeLinks()
        }

        /// Returns the subscribers, to be released outside the lock: that may call back into the subject.
        mutating func dispose() -> [Link] {
            isDisposed = true
            return takeLinks()
        }

        private mutating func takeLinks() -> [Link] {
            defer { links = [] }
            return links
        }

        mutating func remove(_ link: Link) {
            guard let index = links.firstIndex(where: { $0 === link }) else { return }
            links.removeOne(at: index)
        }
    }

    let state = AdaptiveLock(State())

    init() {}

    var isDisposed: Bool {
        state.withLock { $0.isDisposed }
    }

    var hasObservers: Bool {
        state.withLock { !$0.links.isEmpty }
    }

    var recipients: [Link] {
        state.withLock { $0.links }
    }

    /// Ends the subject and returns the subscribers to notify. Empty if it is over.
    func end(_ end: End) -> [Link] {
        state.withLock { $0.end(end) }
    }

    func remove(_ link: Link) {
        state.withLock { $0.remove(link) }
    }

    func dispose() {
        _ = state.withLock { $0.dispose() }
    }
}

extension [Link] {
    // The thread sanitizer misses that a snapshot is released before an in-place change. For it, replace the
    // array.
    mutating func addOne(_ link: Link) {
        #if THREAD_SANITIZER
            self = self + [link]
        #else
            append(link)
        #endif
    }

    mutating func removeOne(at index: Int) {
        #if THREAD_SANITIZER
            self = Array(self[..<index]) + Array(self[(index + 1)...])
        #else
            remove(at: index)
        #endif
    }
}

// The subscribers of a subject.
// Sound: a subject of `Element` adds only a `SubjectLink<Element>`.
// Unchecked for the row "subject pump, an event" of RxBench.
extension [Link] {
    @inline(__always)
    func send<Value: Sendable>(_ value: Value) {
        for link in self { unsafeDowncast(link, to: SubjectLink<Value>.self).send(value) }
    }

    @inline(__always)
    func send<Value: Sendable>(_ end: SubjectCore.End, to type: Value.Type) {
        for link in self { unsafeDowncast(link, to: SubjectLink<Value>.self).send(end) }
    }
}

/// A subject, as seen by its subscriptions.
protocol SubjectHost: Link {
    func leave(_ link: Link)
    /// The same, but leaves it to `stops` to stop the source that the last subscription needed.
    func leave(_ link: Link, _ stops: inout DisposalStack)
}

extension SubjectHost {
    func leave(_ link: Link, _ stops: inout DisposalStack) {
        leave(link)
    }
}

// Sound: it adds only constants, locks and atomics.
class SubjectLink<Element: Sendable>: Link, @unchecked Sendable {
    final let down: Downstream<Element>
    final let host: any SubjectHost
    /// Where the subscriber gets its events, whoever sends them.
    private let context = SubscriberContexts.running
    private let isClosed = Atomic<Bool>(false)

    init(_ host: any SubjectHost, _ down: consuming Downstream<Element>) {
        self.host = host
        self.down = down
        super.init()
    }

    /// Attaches itself to the step below and returns `isOpen`.
    final func open() -> Bool {
        down.attach(self)
        return isOpen
    }

    final var isOpen: Bool { !isClosed.load(ordering: .relaxed) }

    /// Returns whether this call closed the subscription.
    private final func close() -> Bool {
        !isClosed.exchange(true, ordering: .acquiringAndReleasing)
    }

    override final func stop(_ stops: inout DisposalStack) {
        if close() { host.leave(self, &stops) }
    }

    func send(_ value: Element) {
        deliver(value)
    }

    func send(_ end: SubjectCore.End) {
        deliver(end)
    }

    final func deliver(_ value: Element) {
        guard isOpen else { return }
        if SubscriberContexts.areUsed {
            SubscriberContexts.run(in: context) { down.next(value) }
        } else {
            down.next(value)
        }
    }

    /// Delivers the last value and the completion as one event.
    final func deliver(last value: Element) {
        guard close() else { return }
        host.leave(self)
        if SubscriberContexts.areUsed {
            SubscriberContexts.run(in: context) { down.last(value) }
        } else {
            down.last(value)
        }
    }

    final func deliver(_ end: SubjectCore.End) {
        guard close() else { return }
        host.leave(self)
        if SubscriberContexts.areUsed {
            SubscriberContexts.run(in: context) { pass(end) }
        } else {
            pass(end)
        }
    }

    private func pass(_ end: SubjectCore.End) {
        switch end {
        case .completed: down.completed()
        case .failed(let error): down.error(error)
        }
    }
}

/// A subscription that receives a replay first and queues live events until then.
// Sound: it adds only constants, locks and atomics.
class ReplayLink<Element: Sendable>: SubjectLink<Element>, @unchecked Sendable {
    private let isLive = Atomic<Bool>(false)
    private let waiting = Lock<[@Sendable () -> Void]>([])

    /// Ends the replay and delivers the events that arrived meanwhile.
    final func goLive() {
        while true {
            let batch: [@Sendable () -> Void] = waiting.withLock { waiting in
                let batch = waiting
                waiting = []
                if batch.isEmpty { isLive.store(true, ordering: .releasing) }
                return batch
            }
            if batch.isEmpty { return }
            for deliver in batch { deliver() }
        }
    }

    /// Queues `deliver` behind the replay. Returns false if the replay is already over.
    private func postpone(_ deliver: @escaping @Sendable () -> Void) -> Bool {
        waiting.withLock { waiting in
            guard !isLive.load(ordering: .relaxed) else { return false }
            waiting.append(deliver)
            return true
        }
    }

    override final func send(_ value: Element) {
        if isLive.load(ordering: .acquiring) || !postpone({ self.deliver(value) }) { deliver(value) }
    }

    override final func send(_ end: SubjectCore.End) {
        if isLive.load(ordering: .acquiring) || !postpone({ self.deliver(end) }) { deliver(end) }
    }
}
