extension ObservableType {
    /// Merges the streams that `selector` returns for the values, without limit. Completes when the source and all
    /// inner streams have completed. The first error, including one thrown by `selector`, ends the stream.
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

    override func stop() {
        if upstream.closeAndStop(), !isFinished.value { inners.closeAndStop() }
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
        if inners.outerDone() { finish() } else { upstream.emptyAfterEnd() }
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
            if inners.remove(inner) { finish() }
            gate.leave()
        } else {
            gate.park { if self.inners.remove(inner) { self.finish() } }
        }
    }
}

// Sound: it adds only constants.
@usableFromInline
final class FlatMapInner<In: Sendable, Out: Sendable>: InnerStep<Out>, @unchecked Sendable {
    private let parent: FlatMap<In, Out>

    required init(_ parent: FlatMap<In, Out>) {
        self.parent = parent
        super.init()
    }

    override func next(_ value: Out) {
        parent.innerNext(value)
    }

    override func failed(_ error: any Error) {
        parent.error(error)
    }

    override func finished() {
        parent.innerCompleted(self)
    }
}
