extension ObservableType {
    /// Emits `seed`, combined with each value by `accumulator`, on completion. A thrown error ends the
    /// stream.
    @inlinable
    @preconcurrency
    public consuming func reduce<Result: Sendable>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
    ) -> Observable<Result> {
        Reduce(asObservable(), seed, { $0 = try accumulator($0, $1) }, { $0 })
    }

    /// Like `reduce(_:accumulator:)`, with the result transformed by `mapResult`. An error thrown by a
    /// closure ends the stream.
    @inlinable
    @preconcurrency
    public consuming func reduce<Accumulation: Sendable, Result: Sendable>(
        _ seed: Accumulation, accumulator: @escaping @Sendable (Accumulation, Element) throws -> Accumulation,
        mapResult: @escaping @Sendable (Accumulation) throws -> Result
    ) -> Observable<Result> {
        Reduce(asObservable(), seed, { $0 = try accumulator($0, $1) }, mapResult)
    }

    /// Collects all values in memory and emits them as one array when the stream completes.
    @inlinable
    public consuming func toArray() -> Single<[Element]> {
        Single(raw: Reduce(asObservable(), [], { $0.append($1) }, { $0 }))
    }
}

// Sound: `state` guards the mutable properties.
@usableFromInline
final class Reduce<In: Sendable, Accumulation: Sendable, Out: Sendable>: StatefulOperator<In, Out>,
    @unchecked Sendable
{
    private let seed: Accumulation
    private let accumulator: @Sendable (inout Accumulation, In) throws -> Void
    private let mapResult: @Sendable (Accumulation) throws -> Out
    private let state = StateGuard()
    private var accumulation: Accumulation

    @usableFromInline
    init(
        _ source: consuming Observable<In>?, _ seed: Accumulation,
        _ accumulator: @escaping @Sendable (inout Accumulation, In) throws -> Void,
        _ mapResult: @escaping @Sendable (Accumulation) throws -> Out
    ) {
        self.seed = seed
        self.accumulator = accumulator
        self.mapResult = mapResult
        accumulation = seed
        super.init(source)
    }

    override func copy() -> Operator<In, Out> {
        type(of: self).init(nil, seed, accumulator, mapResult)
    }

    override func next(_ value: In) {
        guard !upstream.isClosed, state.enter() else { return }
        do {
            try accumulator(&accumulation, value)
            state.leave()
        } catch {
            state.leave()
            self.error(error)
        }
    }

    override func completed() {
        guard !upstream.isClosed else { return }
        guard state.enter() else { return error(RxError.unknown) }
        let accumulation = accumulation
        state.leave()
        do {
            finish(with: try mapResult(accumulation))
        } catch {
            self.error(error)
        }
    }
}
