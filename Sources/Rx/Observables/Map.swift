extension ObservableType {
    /// Transforms each value with `transform`. An error thrown by `transform` ends the stream.
    @inlinable
    @preconcurrency
    public consuming func map<Result: Sendable>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> Observable<Result> {
        Map(asObservable(), transform)
    }
}

// Sound: it adds only constants.
@usableFromInline
final class Map<In: Sendable, Out: Sendable>: Operator<In, Out>, @unchecked Sendable {
    private let transform: @Sendable (In) throws -> Out

    @usableFromInline
    init(_ source: consuming Observable<In>?, _ transform: @escaping @Sendable (In) throws -> Out) {
        self.transform = transform
        super.init(source)
    }

    override func copy() -> Operator<In, Out> {
        type(of: self).init(nil, transform)
    }

    override func next(_ value: In) {
        do {
            down.next(try transform(value))
        } catch {
            down.error(error)
        }
    }

    override func last(_ value: In) {
        do {
            down.last(try transform(value))
        } catch {
            down.error(error)
        }
    }
}
