import Locking

extension ObservableType {
    /// The values of the stream that `selector` makes of a value; values that come before that stream has ended are
    /// dropped, without `selector` being asked. What it throws ends the stream.
    @inlinable
    public consuming func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        FlatMapFirst(asObservable()) { try selector($0).asObservable() }
    }
}

@usableFromInline
final class FlatMapFirst<In: Sendable, Out: Sendable>: StatefulOperator<In, Out>, @unchecked Sendable {
    private let selector: @Sendable (In) throws -> Observable<Out>
    private let gate = Gate()
    private let current = LinkSlot()
    private let state = Lock(FlatMapFirstState())

    @usableFromInline
    init(
        _ source: consuming Observable<In>?,
        _ selector: @escaping @Sendable (In) throws -> Observable<Out>
    ) {
        self.selector = selector
        super.init(source)
    }

    override func copy() -> Operator<In, Out> {
        type(of: self).init(nil, selector)
    }

    override func stop() {
        if upstream.closeAndStop() { current.closeAndStop() }
    }

    override func next(_ value: In) {
        let isFirst = state.withLock { state in
            defer { state.hasInner = true }
            return !state.hasInner
        }
        guard isFirst, !upstream.isClosed else { return }
        let source: Observable<Out>
        do {
            source = try selector(value)
        } catch {
            return self.error(error)
        }
        let inner = FlatMapFirstInner(self)
        current.set(inner)
        startStream(source, Port(inner))
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
        let isOver = state.withLock { state in
            state.isOuterDone = true
            return !state.hasInner
        }
        if isOver { end(nil) }
    }

    override func error(_ error: any Error) {
        if gate.enter() {
            end(error)
            gate.leave()
        } else {
            gate.park { self.end(error) }
        }
    }

    private func end(_ error: (any Error)?) {
        guard let source = upstream.close() else { return }
        if let error { down.error(error) } else { down.completed() }
        source.stop()
        current.closeAndStop()
    }

    fileprivate func innerNext(_ value: Out) {
        if gate.enter() {
            if !upstream.isClosed { down.next(value) }
            gate.leave()
        } else {
            gate.park { if !self.upstream.isClosed { self.down.next(value) } }
        }
    }

    fileprivate func innerCompleted() {
        if gate.enter() {
            finishInner()
            gate.leave()
        } else {
            gate.park { self.finishInner() }
        }
    }

    private func finishInner() {
        let isOver = state.withLock { state in
            state.hasInner = false
            return state.isOuterDone
        }
        if isOver { end(nil) }
    }
}

/// Outside of the generic class, where using it would look up metadata.
private struct FlatMapFirstState {
    var hasInner = false
    var isOuterDone = false
}

private final class FlatMapFirstInner<In: Sendable, Out: Sendable>: Inner<Out>, @unchecked Sendable {
    private let parent: FlatMapFirst<In, Out>

    init(_ parent: FlatMapFirst<In, Out>) {
        self.parent = parent
        super.init()
    }

    override func next(_ value: Out) {
        if !upstream.isClosed { parent.innerNext(value) }
    }

    override func failed(_ error: any Error) {
        parent.error(error)
    }

    override func finished() {
        parent.innerCompleted()
    }
}
