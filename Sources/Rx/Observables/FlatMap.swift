extension ObservableType {
    /// Merges the streams that `selector` returns for the values, without limit. Completes when the source
    /// and all inner streams have completed. The first error, including one thrown by `selector`, ends the
    /// stream.
    @inlinable
    @preconcurrency
    public consuming func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        FlatMap(asObservable(), { try selector($0).asObservable() }, FlatMapInner.self)
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class FlatMap<In: Sendable, Out: Sendable>: StatefulOperator<In, Out>, @unchecked Sendable {
    private let selector: @Sendable (In) throws -> Observable<Out>
    /// Stored, because naming the type for each value would look up its metadata.
    private let innerType: FlatMapInner<In, Out>.Type
    private let gate = SerialGate()
    private let inners = InnerList()
    /// Whether all inner streams have completed, so there is nothing to stop.
    private let isFinished = RelaxedAtomic(false)

    @usableFromInline
    init(
        _ source: consuming Observable<In>?,
        _ selector: @escaping @Sendable (In) throws -> Observable<Out>,
        _ innerType: FlatMapInner<In, Out>.Type
    ) {
        self.selector = selector
        self.innerType = innerType
        super.init(source)
    }

    override func copy() -> Operator<In, Out> {
        type(of: self).init(nil, selector, innerType)
    }

    override func stop(_ stops: inout DisposalStack) {
        if isFinished.value {
            upstream.close(&stops)
        } else if let source = upstream.close() {
            inners.close(&stops)
            source.stop(&stops)
        }
    }

    override func next(_ value: In) {
        guard !upstream.isClosed else { return }
        let source: Observable<Out>
        do {
            source = try selector(value)
        } catch {
            self.error(error)
            return
        }
        if source.withScalar({ innerNext($0) }) { return }
        let inner = innerType.init(self)
        if inners.add(inner) { startStream(source, Downstream(inner)) }
    }

    override func completed() {
        if gate.enter() {
            outerCompleted()
            gate.leave()
        } else {
            gate.park { self.outerCompleted() }
        }
    }

    private func outerCompleted() {
        switch inners.outerDone() {
        case .nothing: finish()
        case .last:
            upstream.emptyAfterEnd()
            skipBelow()
        case .more: upstream.emptyAfterEnd()
        }
    }

    /// Called by the gate's owner when an inner stream has completed.
    private func proceed(_ left: InnerList.Left) {
        switch left {
        case .nothing: finish()
        case .last: skipBelow()
        case .more: break
        }
    }

    fileprivate func skip(_ inner: any InnerListMember, _ sender: Link?) -> Link? {
        leaveChain(inner, sender, gate, inners)
    }

    private func finish() {
        guard upstream.end() else { return }
        isFinished.set(true)
        down.completed()
        upstream.closeAndStop()
    }

    override func error(_ error: any Error) {
        if gate.enter() {
            fail(error)
            gate.leave()
        } else {
            gate.park { self.fail(error) }
        }
    }

    private func fail(_ error: any Error) {
        guard upstream.end() else { return }
        down.error(error)
        stop()
    }

    func innerNext(_ value: Out) {
        if gate.enter() {
            if !upstream.isClosed { down.next(value) }
            gate.leave()
        } else {
            gate.park { if !self.upstream.isClosed { self.down.next(value) } }
        }
    }

    func innerCompleted(_ inner: any InnerListMember) {
        if gate.enter() {
            proceed(inners.remove(inner))
            gate.leave()
        } else {
            gate.park { self.proceed(self.inners.remove(inner)) }
        }
    }
}

// Sound: it adds only constants.
@usableFromInline
final class FlatMapInner<In: Sendable, Out: Sendable>: ChildStep<Out>, @unchecked Sendable {
    required init(_ parent: FlatMap<In, Out>) {
        super.init(parent)
    }

    override func next(_ value: Out) {
        parent.use(as: FlatMap<In, Out>.self) { $0.innerNext(value) }
    }

    override func failed(_ error: any Error) {
        parent.use(as: FlatMap<In, Out>.self) { $0.error(error) }
    }

    override func finished() {
        parent.use(as: FlatMap<In, Out>.self) { $0.innerCompleted(self) }
    }

    override func skipped(by sender: Link?) -> Link? {
        parent.use(as: FlatMap<In, Out>.self) { $0.skip(self, sender) }
    }
}
