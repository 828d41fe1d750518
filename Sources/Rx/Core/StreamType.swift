/// A stream whose operators return a stream of its own kind: an `Observable`, an `Infallible` or a
/// `PrimitiveSequence`. So an operator that leaves the elements and the end as they are is declared once for
/// all kinds.
public protocol StreamType<Element>: ObservableConvertibleType {
    /// The stream that operators return.
    // Unconstrained, because the compiler (6.3) does not get through the circle of requirements otherwise.
    associatedtype DerivedStream

    /// Returns `source`, which keeps the guarantees of this kind, as a stream of this kind.
    static func derived(from source: consuming Observable<Element>) -> DerivedStream
}

/// A stream of any number of values: an `ObservableType` or an `InfallibleType`.
public protocol ValueStreamType<Element>: StreamType {}

extension ObservableType {
    /// Returns the stream itself.
    @inlinable
    public static func derived(from source: consuming Observable<Element>) -> Observable<Element> {
        source
    }
}

extension InfallibleType {
    /// Returns the stream as one that cannot fail. The source must not fail.
    @inlinable
    public static func derived(from source: consuming Observable<Element>) -> Infallible<Element> {
        Infallible(raw: source)
    }
}
