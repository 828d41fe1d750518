import Synchronization

extension ObservableType {
    /// The elements, one a turn of `scheduler`, then the end.
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        from(elements, scheduler: scheduler)
    }

    /// The elements of `array`, one a turn of `scheduler`, then the end.
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        ElementSequence(array, scheduler)
    }

    /// The elements of `sequence`, one a turn of `scheduler`, then the end. It is iterated anew for each subscription.
    @inlinable
    public static func from<Elements: Sequence & Sendable>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> where Elements.Element == Element {
        IteratorSequence(scheduler) {
            // The iterator's type and its optional are taken apart here, where they are known.
            var iterator = sequence.makeIterator()
            return ElementPull { send in
                guard let element = iterator.next() else { return false }
                send(element)
                return true
            }
        }
    }

    /// The value if there is one, then the end.
    @inlinable
    public static func from(optional: Element?) -> Observable<Element> {
        if let optional { just(optional) } else { empty() }
    }

    /// The value if there is one, then the end, each in a turn of `scheduler`.
    @inlinable
    public static func from(
        optional: Element?, scheduler: any ImmediateSchedulerType
    ) -> Observable<Element> {
        from(optional.map { [$0] } ?? [], scheduler: scheduler)
    }

    /// The value in a turn of `scheduler`, then the end.
    @inlinable
    public static func just(
        _ element: Element, scheduler: any ImmediateSchedulerType
    ) -> Observable<Element> {
        from([element], scheduler: scheduler)
    }
}

/// Sends elements in turns. On the current thread's trampoline it goes on in a loop as long as nobody else waits
/// for a turn, which is the order of one element a turn without its cost.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
class ScheduledSequence<Element: Sendable>: Observable<Element>, @unchecked Sendable {
    final let scheduler: any ImmediateSchedulerType
    private let isStopped = Atomic<Bool>(false)
    private let turns = RerunLoop()

    init(_ scheduler: consuming any ImmediateSchedulerType) {
        self.scheduler = scheduler
        super.init()
    }

    func copy() -> ScheduledSequence<Element> {
        self
    }

    /// Sends the next element. `false` when there was none. One turn runs at a time, each scheduled by the one before.
    func sendNext() -> Bool {
        false
    }

    override final consuming func run(_ port: consuming Downstream<Element>) {
        var link: Link = consume self
        let isAlone = isKnownUniquelyReferenced(&link)
        var run = unsafeDowncast(consume link, to: ScheduledSequence<Element>.self)
        if !isAlone { run = run.copy() }
        run.down.lead(consume port)
        run.down.attach(run)
        if run.scheduler is CurrentThreadScheduler {
            Trampoline.current.enqueue(run)
        } else {
            run.schedule()
        }
    }

    override final func stop() {
        isStopped.store(true, ordering: .relaxed)
    }

    override final func resume() {
        let trampoline = Trampoline.current
        while !isStopped.load(ordering: .relaxed) {
            guard sendNext() else { return down.completed() }
            if trampoline.hasWaiting { return trampoline.enqueue(self) }
        }
    }

    private func schedule() {
        turns.run {
            _ = scheduler.schedule(()) { [self] in
                guard !isStopped.load(ordering: .relaxed) else { return Disposables.create() }
                if sendNext() { schedule() } else { down.completed() }
                return Disposables.create()
            }
        }
    }
}

// Sound: only the running turn touches `index`.
@usableFromInline
final class ElementSequence<Element: Sendable>: ScheduledSequence<Element>, @unchecked Sendable {
    private let elements: [Element]
    // Unchecked for the row "from(array), an element" of RxBench.
    @exclusivity(unchecked)
    private var index = 0

    @usableFromInline
    init(_ elements: consuming [Element], _ scheduler: consuming any ImmediateSchedulerType) {
        self.elements = elements
        super.init(scheduler)
    }

    override func copy() -> ScheduledSequence<Element> {
        type(of: self).init(elements, scheduler)
    }

    override func sendNext() -> Bool {
        guard index < elements.count else { return false }
        index += 1
        down.next(elements[index - 1])
        return true
    }
}

/// Sends the next element if there is one. An object, because a closure in an optional is wrapped anew whenever it is
/// stored.
@usableFromInline
final class ElementPull<Element: Sendable> {
    let sendNext: ((Element) -> Void) -> Bool

    @usableFromInline
    init(_ sendNext: @escaping ((Element) -> Void) -> Bool) {
        self.sendNext = sendNext
    }
}

// Sound: only the running turn touches `pull`.
@usableFromInline
final class IteratorSequence<Element: Sendable>: ScheduledSequence<Element>, @unchecked Sendable {
    private let makePull: @Sendable () -> ElementPull<Element>
    private var pull: ElementPull<Element>?

    @usableFromInline
    init(
        _ scheduler: consuming any ImmediateSchedulerType,
        _ makePull: @escaping @Sendable () -> ElementPull<Element>
    ) {
        self.makePull = makePull
        super.init(scheduler)
    }

    override func copy() -> ScheduledSequence<Element> {
        type(of: self).init(scheduler, makePull)
    }

    override func sendNext() -> Bool {
        if let pull { return pull.sendNext { down.next($0) } }
        let pull = makePull()
        self.pull = pull
        return pull.sendNext { down.next($0) }
    }
}
