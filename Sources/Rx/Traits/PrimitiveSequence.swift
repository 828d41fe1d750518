/// An observable with a guarantee about its number of events, named by `Trait`.
public struct PrimitiveSequence<Trait: Sendable, Element: Sendable>: Sendable {
    @usableFromInline package let source: Observable<Element>

    /// - Parameter raw: A stream that keeps the trait's guarantee.
    @inlinable
    init(raw: consuming Observable<Element>) {
        source = consume raw
    }
}

/// A single, maybe or completable, or a type that wraps one.
public protocol PrimitiveSequenceType<Trait, Element>: Sendable {
    associatedtype Trait: Sendable
    associatedtype Element: Sendable

    var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequenceType {
    /// Moves the stream out, so that an operator uses a temporary without copying it.
    @inlinable
    consuming func takeSource() -> Observable<Element> {
        primitiveSequence.source
    }
}

extension PrimitiveSequence: PrimitiveSequenceType {
    /// The sequence itself.
    @inlinable
    public var primitiveSequence: PrimitiveSequence<Trait, Element> { self }
}

extension PrimitiveSequence: StreamType {
    /// Returns the sequence of a stream that has its number of values.
    @inlinable
    public static func derived(from source: consuming Observable<Element>) -> PrimitiveSequence<
        Trait, Element
    > {
        PrimitiveSequence(raw: source)
    }

    /// Returns the stream without its type.
    @inlinable
    public consuming func asObservable() -> Observable<Element> {
        source
    }
}

/// Marks a sequence of exactly one value or an error: `Single`.
public enum SingleTrait: Sendable {}
/// Marks a sequence of at most one value: `Maybe`.
public enum MaybeTrait: Sendable {}
/// Marks a sequence without values: `Completable`.
public enum CompletableTrait: Sendable {}

/// The traits of streams with a value: `SingleTrait` and `MaybeTrait`.
public protocol ValueTrait {}

extension SingleTrait: ValueTrait {}
extension MaybeTrait: ValueTrait {}

/// A stream of exactly one value, or an error.
public typealias Single<Element: Sendable> = PrimitiveSequence<SingleTrait, Element>
/// A stream of one value, or an empty completion, or an error.
public typealias Maybe<Element: Sendable> = PrimitiveSequence<MaybeTrait, Element>
/// A stream without values that completes or fails.
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

/// The value or the error of a `Single`.
public typealias SingleEvent<Element> = Result<Element, any Error>

/// The value, the error or the empty completion of a `Maybe`.
@frozen
public enum MaybeEvent<Element: Sendable>: Sendable {
    case success(Element)
    case error(any Error)
    case completed
}

/// The error or the completion of a `Completable`.
@frozen
public enum CompletableEvent: Sendable {
    case error(any Error)
    case completed
}
