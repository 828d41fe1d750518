import Locking
import Synchronization

extension ObservableType {
    /// Emits the values of the stream that `selector` returns for the latest value, and disposes the previous
    /// inner stream first. Completes when the source and the current inner stream have completed. The first
    /// error, including one thrown by `selector`, ends the stream.
    @inlinable
    @preconcurrency
    public consuming func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        FlatMapLatestOrFirst(
            asObservable(), .latest, { try selector($0).asObservable() }, FlatMapLatestOrFirstInner.self)
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Emits the values of the latest inner stream. The previous one is disposed before the new one is
    /// subscribed to.
    @inlinable
    public consuming func switchLatest() -> Observable<Element.Element> {
        FlatMapLatestOrFirst(asObservable(), .latest, { $0.asObservable() }, FlatMapLatestOrFirstInner.self)
    }
}

extension ObservableType {
    /// Emits the values of the stream that `selector` returns for a value. Until that stream ends, further
    /// values are dropped without calling `selector`. An error thrown by `selector` ends the stream.
    @inlinable
    @preconcurrency
    public consuming func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        FlatMapLatestOrFirst(
            asObservable(), .first, { try selector($0).asObservable() }, FlatMapLatestOrFirstInner.self)
    }
}

/// Which inner stream wins when a value arrives while one is running.
@usableFromInline
enum InnerChoice: Sendable {
    case latest
    case first
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class FlatMapLatestOrFirst<In: Sendable, Out: Sendable>: StatefulOperator<In, Out>,
    @unchecked Sendable
{
    private let choice: InnerChoice
    private let selector: @Sendable (In) throws -> Observable<Out>
    /// Stored, because naming the type for each value would look up its metadata.
    private let innerType: FlatMapLatestOrFirstInner<In, Out>.Type
    private let gate = SerialGate()
    private let current = LinkSlot()
    private let latest = Atomic<UInt64>(0)
    private let state = Lock(FlatMapLatestOrFirstState())

    @usableFromInline
    init(
        _ source: consuming Observable<In>?, _ choice: InnerChoice,
        _ selector: @escaping @Sendable (In) throws -> Observable<Out>,
        _ innerType: FlatMapLatestOrFirstInner<In, Out>.Type
    ) {
        self.choice = choice
        self.selector = selector
        self.innerType = innerType
        super.init(source)
    }

    override func copy() -> Operator<In, Out> {
        type(of: self).init(nil, choice, selector, innerType)
    }

    override func stop(_ stops: inout DisposalStack) {
        if current.isEmpty {
            // Usual at the end, and faster.
            guard upstream.close(&stops) else { return }
            current.close(&stops)
            return
        }
        guard let source = upstream.close() else { return }
        current.close(&stops)
        source.stop(&stops)
    }

    override func next(_ value: In) {
        guard !upstream.isClosed else { return }
        if choice == .first, !claim() { return }
        let source: Observable<Out>
        do {
            source = try selector(value)
        } catch {
            return self.error(error)
        }
        let id = latest.add(1, ordering: .acquiringAndReleasing).newValue
        if source.withScalar({ innerScalar($0, id) }) { return }
        state.withLock { $0.hasInner = true }
        let inner = innerType.init(self, id)
        current.stopAndSet(inner)
        // The selector may have ended this stream.
        guard !upstream.isClosed else { return }
        startStream(source, Downstream(inner), before: .value)
    }

    /// Reserves the only slot for an inner stream. Returns false if one is running.
    private func claim() -> Bool {
        state.withLock { state in
            defer { state.hasInner = true }
            return !state.hasInner
        }
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
        if isOver { return end(nil) }
        upstream.emptyAfterEnd()
        skipBelow()
    }

    /// Leaves the chain if only the events of this inner stream are left to pass on.
    fileprivate func skip(
        _ inner: FlatMapLatestOrFirstInner<In, Out>, _ id: UInt64, _ sender: Link?
    ) -> Link? {
        // If the gate is taken, the operator is delivering.
        guard gate.enter() else { return nil }
        var next: Link?
        let isLast = state.withLock { $0.isOuterDone && $0.hasInner }
        if isLast, isLatest(id), upstream.end() {
            upstream.closeAfterEnd()
            current.closeAfterEnd(of: inner)
            inner.detach(sender)
            next = down.link
        }
        gate.leave()
        return next
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
        guard upstream.end() else { return }
        if let error { down.error(error) } else { down.completed() }
        stopAfterEnd()
    }

    private func isLatest(_ id: UInt64) -> Bool {
        latest.load(ordering: .acquiring) == id && !upstream.isClosed
    }

    fileprivate func innerNext(_ value: Out, _ id: UInt64) {
        if gate.enter() {
            if isLatest(id) { down.next(value) }
            gate.leave()
        } else {
            gate.park { if self.isLatest(id) { self.down.next(value) } }
        }
    }

    /// Emits an inner stream that is a single value, without subscribing to it. The value and the end share
    /// one turn of the gate, so the outer completion cannot fall between them.
    private func innerScalar(_ value: Out, _ id: UInt64) {
        current.clear()
        if gate.enter() {
            if isLatest(id) { down.next(value) }
            finishInner(id)
            gate.leave()
        } else {
            gate.park {
                if self.isLatest(id) { self.down.next(value) }
                self.finishInner(id)
            }
        }
    }

    fileprivate func innerError(_ error: any Error, _ id: UInt64) {
        if gate.enter() {
            if isLatest(id) { end(error) }
            gate.leave()
        } else {
            gate.park { if self.isLatest(id) { self.end(error) } }
        }
    }

    fileprivate func innerCompleted(_ id: UInt64) {
        if gate.enter() {
            finishInner(id)
            gate.leave()
        } else {
            gate.park { self.finishInner(id) }
        }
    }

    private func finishInner(_ id: UInt64) {
        let isOver = state.withLock { state in
            guard latest.load(ordering: .acquiring) == id else { return false }
            state.hasInner = false
            return state.isOuterDone
        }
        if isOver { end(nil) }
    }
}

/// Declared outside the generic class, where using it would look up metadata.
private struct FlatMapLatestOrFirstState {
    var hasInner = false
    var isOuterDone = false
}

// Sound: it adds only constants.
@usableFromInline
final class FlatMapLatestOrFirstInner<In: Sendable, Out: Sendable>: ChildStep<Out>, @unchecked Sendable {
    private let id: UInt64

    required init(_ parent: FlatMapLatestOrFirst<In, Out>, _ id: UInt64) {
        self.id = id
        super.init(parent)
    }

    override func next(_ value: Out) {
        parent.use(as: FlatMapLatestOrFirst<In, Out>.self) { $0.innerNext(value, id) }
    }

    override func failed(_ error: any Error) {
        parent.use(as: FlatMapLatestOrFirst<In, Out>.self) { $0.innerError(error, id) }
    }

    override func finished() {
        parent.use(as: FlatMapLatestOrFirst<In, Out>.self) { $0.innerCompleted(id) }
    }

    override func skipped(by sender: Link?) -> Link? {
        parent.use(as: FlatMapLatestOrFirst<In, Out>.self) { $0.skip(self, id, sender) }
    }
}
