extension ObservableType {
    /// Emits each result of combining the values with `accumulator`, starting from `seed`, which is not
    /// emitted. An error thrown by `accumulator` ends the stream.
    @inlinable
    @preconcurrency
    public consuming func scan<Result: Sendable>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
    ) -> Observable<Result> {
        Scan(asObservable(), seed) { result, value in result = try accumulator(result, value) }
    }

    /// Like `scan(_:accumulator:)`, but `accumulator` mutates the result in place.
    @inlinable
    @preconcurrency
    public consuming func scan<Result: Sendable>(
        into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) throws -> Void
    ) -> Observable<Result> {
        Scan(asObservable(), seed, accumulator)
    }
}

// Sound: `state` guards the mutable properties.
@usableFromInline
final class Scan<In: Sendable, Out: Sendable>: Operator<In, Out>, @unchecked Sendable {
    private let seed: Out
    private let accumulator: @Sendable (inout Out, In) throws -> Void
    private let state = StateGuard()
    // Unchecked for the row "scan and distinctUntilChanged, an event" of RxBench.
    @exclusivity(unchecked)
    private var result: Out

    @usableFromInline
    init(
        _ source: consuming Observable<In>?, _ seed: Out,
        _ accumulator: @escaping @Sendable (inout Out, In) throws -> Void
    ) {
        self.seed = seed
        self.accumulator = accumulator
        result = seed
        super.init(source)
    }

    override func copy() -> Operator<In, Out> {
        type(of: self).init(nil, seed, accumulator)
    }

    override func next(_ value: In) {
        guard state.enter() else { return }
        do {
            try accumulator(&result, value)
            let result = result
            state.leave()
            down.next(result)
        } catch {
            state.leave()
            down.error(error)
        }
    }

    override func last(_ value: In) {
        guard state.enter() else { return down.error(RxError.unknown) }
        do {
            try accumulator(&result, value)
            let result = result
            state.leave()
            down.last(result)
        } catch {
            state.leave()
            down.error(error)
        }
    }
}
