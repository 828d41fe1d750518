public import Rx

// Spellings that RxSwift 4 and 5 deprecated, and operators that count, which `enumerated()` replaces.

extension ObservableType {
    @available(*, deprecated, message: "Use enumerated().map instead.")
    @preconcurrency
    public consuming func mapWithIndex<Result: Sendable>(
        _ selector: @escaping @Sendable (Element, Int) throws -> Result
    ) -> Observable<Result> {
        enumerated().map { try selector($0.element, $0.index) }
    }

    @available(*, deprecated, message: "Use enumerated().flatMap instead.")
    @preconcurrency
    public consuming func flatMapWithIndex<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element, Int) throws -> Source
    ) -> Observable<Source.Element> {
        enumerated().flatMap { try selector($0.element, $0.index) }
    }

    @available(*, deprecated, message: "Use enumerated().skip(while:).map instead.")
    @preconcurrency
    public consuming func skipWhileWithIndex(
        _ predicate: @escaping @Sendable (Element, Int) throws -> Bool
    ) -> Observable<Element> {
        enumerated().skip(while: { try predicate($0.element, $0.index) }).map { $0.element }
    }

    @available(*, deprecated, message: "Use enumerated().take(while:).map instead.")
    @preconcurrency
    public consuming func takeWhileWithIndex(
        _ predicate: @escaping @Sendable (Element, Int) throws -> Bool
    ) -> Observable<Element> {
        enumerated().take(while: { try predicate($0.element, $0.index) }).map { $0.element }
    }

    @available(*, deprecated, renamed: "from(optional:)")
    @_disfavoredOverload
    public static func from(_ optional: Element?) -> Observable<Element> {
        from(optional: optional)
    }

    @available(*, deprecated, renamed: "from(optional:scheduler:)")
    @_disfavoredOverload
    public static func from(
        _ optional: Element?, scheduler: any ImmediateSchedulerType
    ) -> Observable<Element> {
        from(optional: optional, scheduler: scheduler)
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    @available(*, deprecated, renamed: "do(onSuccess:onError:onSubscribe:onSubscribed:onDispose:)")
    @preconcurrency
    public consuming func `do`(
        onNext: (@Sendable (Element) throws -> Void)?,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Single<Element> {
        self.do(
            onSuccess: onNext, onError: onError, onSubscribe: onSubscribe, onSubscribed: onSubscribed,
            onDispose: onDispose)
    }
}

extension Disposable {
    @available(*, deprecated, renamed: "disposed(by:)")
    public func addDisposableTo(_ bag: DisposeBag) {
        disposed(by: bag)
    }
}

/// A value and the stream of its changes, which completes when the variable is freed.
@available(*, deprecated, message: "Use BehaviorRelay instead.")
public final class Variable<Element: Sendable>: Sendable {
    private let subject: BehaviorSubject<Element>

    public init(_ value: Element) {
        subject = BehaviorSubject(value: value)
    }

    deinit {
        subject.onCompleted()
    }

    /// Setting it notifies the subscribers, even if the value is the same.
    public var value: Element {
        get { subject.current }
        set { subject.onNext(newValue) }
    }

    public func asObservable() -> Observable<Element> {
        subject
    }
}
