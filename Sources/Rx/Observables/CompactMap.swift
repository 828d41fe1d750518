extension ObservableType {
    /// Transforms each value and drops the `nil` results. An error thrown by `transform` ends the stream.
    @inlinable
    @preconcurrency
    public consuming func compactMap<Result: Sendable>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> Observable<Result> {
        // Unwrapped here, where the optional's type is known statically.
        CompactMap(asObservable()) { element, send in
            if let result = try transform(element) { send(result) }
        }
    }
}

// Sound: it adds only constants.
@usableFromInline
final class CompactMap<In: Sendable, Out: Sendable>: Operator<In, Out>, @unchecked Sendable {
    @usableFromInline typealias Transform = @Sendable (In, (Out) -> Void) throws -> Void

    private let transform: Transform

    @usableFromInline
    init(_ source: consuming Observable<In>?, _ transform: @escaping Transform) {
        self.transform = transform
        super.init(source)
    }

    override func copy() -> Operator<In, Out> {
        type(of: self).init(nil, transform)
    }

    override func next(_ value: In) {
        do {
            try transform(value) { down.next($0) }
        } catch {
            down.error(error)
        }
    }

    override func last(_ value: In) {
        do {
            var isSent = false
            try transform(value) { result in
                isSent = true
                down.last(result)
            }
            if !isSent { down.completed() }
        } catch {
            down.error(error)
        }
    }
}
