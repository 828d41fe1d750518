import Synchronization

extension ValueStreamType {
    /// Emits the given elements, one for each turn of `scheduler`, and completes.
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> DerivedStream {
        from(elements, scheduler: scheduler)
    }

    /// Emits the elements of `array`, one for each turn of `scheduler`, and completes.
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> DerivedStream {
        derived(from: ElementSequence(array, scheduler))
    }

    /// Emits the elements of `sequence`, one for each turn of `scheduler`, and completes. Each subscription
    /// iterates it again.
    @inlinable
    public static func from<Elements: Sequence & Sendable>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> DerivedStream where Elements.Element == Element {
        let elements = IteratorSequence<Element>(scheduler) {
            // The iterator and its optional are unwrapped here, where their types are known statically.
            var iterator = sequence.makeIterator()
            return ElementPull { send in
                guard let element = iterator.next() else { return false }
                send(element)
                return true
            }
        }
        return derived(from: elements)
    }

    /// Emits the value, if any, and completes.
    @inlinable
    public static func from(optional: Element?) -> DerivedStream {
        if let optional { just(optional) } else { empty() }
    }

    /// Emits the value, if any, and completes, each in a turn of `scheduler`.
    @inlinable
    public static func from(
        optional: Element?, scheduler: any ImmediateSchedulerType
    ) -> DerivedStream {
        from(optional.map { [$0] } ?? [], scheduler: scheduler)
    }

    /// Emits `element` and completes, each in a turn of `scheduler`.
    @inlinable
    public static func just(
        _ element: Element, scheduler: any ImmediateSchedulerType
    ) -> DerivedStream {
        from([element], scheduler: scheduler)
    }
}

/// Emits one element a turn. On the current thread's trampoline it loops while no other work waits, which
/// gives the same order at a lower cost.
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

    /// Emits the next element. Returns false at the end. Turns never overlap, because each schedules the
    /// next.
    func sendNext() -> Bool {
        false
    }

    override final consuming func run(_ port: consuming Downstream<Element>) {
        var link: Link = consume self
        let isAlone = isKnownUniquelyReferenced(&link)
        // Sound: it is this object.
        var run = unsafeDowncast(consume link, to: ScheduledSequence<Element>.self)
        if !isAlone { run = run.copy() }
        run.down.takeStep(of: consume port)
        run.down.attach(run)
        if run.scheduler is CurrentThreadScheduler {
            Trampoline.current.enqueue(run)
        } else {
            run.schedule()
        }
    }

    override final func stop(_ stops: inout DisposalStack) {
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

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class ElementSequence<Element: Sendable>: ScheduledSequence<Element>, @unchecked Sendable {
    private let elements: [Element]
    private let sent = RelaxedAtomic(0)

    @usableFromInline
    init(_ elements: consuming [Element], _ scheduler: consuming any ImmediateSchedulerType) {
        self.elements = elements
        super.init(scheduler)
    }

    override func copy() -> ScheduledSequence<Element> {
        type(of: self).init(elements, scheduler)
    }

    override func sendNext() -> Bool {
        let index = sent.value
        guard index < elements.count else { return false }
        sent.set(index + 1)
        down.next(elements[index])
        return true
    }
}

/// Emits the next element of an iterator. A class, because storing an optional closure would wrap it each
/// time.
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
