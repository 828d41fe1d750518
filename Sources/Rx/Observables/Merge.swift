extension ObservableType where Element: ObservableConvertibleType {
    /// Subscribes to each inner stream as it arrives and merges their values. The first error ends the
    /// stream.
    @inlinable
    public consuming func merge() -> Observable<Element.Element> {
        FlatMap(asObservable(), { $0.asObservable() }, FlatMapInner.self)
    }

    /// Merges the inner streams, with at most `maxConcurrent` subscribed at a time. Further streams wait in
    /// an unbounded queue. A limit below 1 fails with `RxError.argumentOutOfRange`.
    @inlinable
    public consuming func merge(maxConcurrent: Int) -> Observable<Element.Element> {
        guard maxConcurrent > 0 else { return .error(RxError.argumentOutOfRange) }
        return MergeLimited(asObservable(), maxConcurrent, { $0.asObservable() }, MergeLimitedInner.self)
    }

    /// Emits the values of the inner streams, one stream after the other. Further streams wait in an
    /// unbounded queue.
    @inlinable
    public consuming func concat() -> Observable<Element.Element> {
        merge(maxConcurrent: 1)
    }
}

extension ObservableType {
    /// Emits the values of the streams that `selector` returns, one stream after the other. `selector` is
    /// called when a value arrives. The streams wait in an unbounded queue.
    @inlinable
    @preconcurrency
    public consuming func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        MergeLimited(asObservable().map(selector), 1, { $0.asObservable() }, MergeLimitedInner.self)
    }
}

extension ValueStreamType where DerivedStream: ObservableConvertibleType, DerivedStream.Element == Element {
    /// Subscribes to all sources and merges their values. Completes when all have completed; the first error
    /// ends the stream.
    @inlinable
    public static func merge<Sources: Collection>(
        _ sources: Sources
    ) -> DerivedStream where Sources.Element == DerivedStream {
        derived(from: MergeAll(sources.map { $0.asObservable() }))
    }

    /// Subscribes to all sources and merges their values. Completes when all have; the first error ends the
    /// stream.
    @inlinable
    public static func merge(_ sources: DerivedStream...) -> DerivedStream {
        derived(from: MergeAll(sources.map { $0.asObservable() }))
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class MergeAll<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let sources: [Observable<Element>]
    private let gate = SerialGate()
    private let inners = InnerList()

    @usableFromInline
    init(_ sources: [Observable<Element>]) {
        self.sources = sources
        super.init(.never())
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(sources)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.down.attach(me)
        for source in me.sources {
            let inner = MergeInner<Element>(me)
            guard !me.upstream.isClosed, me.inners.add(inner) else { return }
            source.run(Downstream(inner))
        }
        me.gate.run { me.proceed(me.inners.outerDone()) }
    }

    override func stop(_ stops: inout DisposalStack) {
        guard let source = upstream.close() else { return }
        inners.close(&stops)
        source.stop(&stops)
    }

    /// Called by the gate's owner when one of the sources has completed or all have started.
    private func proceed(_ left: InnerList.Left) {
        switch left {
        case .nothing: end(nil)
        case .last: skipBelow()
        case .more: break
        }
    }

    fileprivate func skip(_ inner: any InnerListMember, _ sender: Link?) -> Link? {
        leaveChain(inner, sender, gate, inners)
    }

    private func end(_ error: (any Error)?) {
        if let error { super.error(error) } else { super.completed() }
    }

    fileprivate func innerNext(_ value: Element) {
        if gate.enter() {
            if !upstream.isClosed { down.next(value) }
            gate.leave()
        } else {
            gate.park { if !self.upstream.isClosed { self.down.next(value) } }
        }
    }

    fileprivate func innerError(_ error: any Error) {
        gate.run { self.end(error) }
    }

    fileprivate func innerCompleted(_ inner: any InnerListMember) {
        gate.run { self.proceed(self.inners.remove(inner)) }
    }
}

// Sound: it adds only constants.
private final class MergeInner<Element: Sendable>: ChildStep<Element>, @unchecked Sendable {
    override func next(_ value: Element) {
        parent.use(as: MergeAll<Element>.self) { $0.innerNext(value) }
    }

    override func failed(_ error: any Error) {
        parent.use(as: MergeAll<Element>.self) { $0.innerError(error) }
    }

    override func finished() {
        parent.use(as: MergeAll<Element>.self) { $0.innerCompleted(self) }
    }

    override func skipped(by sender: Link?) -> Link? {
        parent.use(as: MergeAll<Element>.self) { $0.skip(self, sender) }
    }
}
