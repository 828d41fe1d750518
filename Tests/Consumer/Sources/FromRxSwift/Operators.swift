import Foundation
import Rx

protocol OptionalType {
    associatedtype Wrapped
    var value: Wrapped? { get }
}

extension Optional: OptionalType {
    var value: Wrapped? { return self }
}

extension ObservableType where Element: OptionalType {
    func filterNil() -> Observable<Element.Wrapped> {
        return flatMap { element -> Observable<Element.Wrapped> in
            guard let value = element.value else { return Observable<Element.Wrapped>.empty() }
            return Observable<Element.Wrapped>.just(value)
        }
    }
}

extension ObservableType {
    func mapTo<Result>(_ value: Result) -> Observable<Result> {
        return map { _ in value }
    }

    func mapToVoid() -> Observable<Void> {
        return map { _ in () }
    }

    func unwrap<Result>() -> Observable<Result> where Element == Result? {
        return compactMap { $0 }
    }

    /// An operator written by hand, with state in captured variables.
    func everySecond() -> Observable<Element> {
        return Observable.create { observer in
            var isSecond = false
            return self.subscribe { event in
                switch event {
                case .next(let element):
                    if isSecond { observer.onNext(element) }
                    isSecond.toggle()
                case .error(let error):
                    observer.onError(error)
                case .completed:
                    observer.onCompleted()
                }
            }
        }
    }

    func retryWithBackoff(_ count: Int, scheduler: SchedulerType) -> Observable<Element> {
        return retry { (errors: Observable<Error>) in
            errors.enumerated().flatMap { attempt, error -> Observable<Int> in
                guard attempt < count - 1 else { return .error(error) }
                return Observable<Int>.timer(.seconds(1 << attempt), scheduler: scheduler)
            }
        }
    }

    func pausable<Pauser: ObservableType>(_ pauser: Pauser) -> Observable<Element>
    where Pauser.Element == Bool {
        return withLatestFrom(pauser) { ($0, $1) }.filter { $0.1 }.map { $0.0 }
    }

    func trackActivity(_ indicator: ActivityIndicator) -> Observable<Element> {
        return indicator.track(self)
    }

    func asOptional() -> Observable<Element?> {
        return map(Optional.init)
    }

    func previous() -> Observable<(Element?, Element)> {
        return scan([]) { (all: [Element], next: Element) in Array((all + [next]).suffix(2)) }
            .map { (pair: [Element]) in (pair.count > 1 ? pair[0] : nil, pair[pair.count - 1]) }
    }
}

extension ObservableType where Element == String {
    func numbers() -> Observable<Int> {
        return compactMap { Int($0) }
    }
}

extension ObservableType where Element: Collection {
    func mapMany<Result>(_ transform: @escaping (Element.Element) -> Result) -> Observable<[Result]> {
        return map { collection in collection.map(transform) }
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    func mapToVoid() -> Single<Void> {
        return map { _ in () }
    }

    func orNil() -> Single<Element?> {
        return map { $0 }.catchAndReturn(nil)
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    func logged(_ log: Logger) -> Single<Element> {
        return self.do(onSuccess: { log.lines.append("\($0)") }, onError: { log.lines.append("\($0)") })
            .map { $0 }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    func then(_ body: @escaping () -> Void) -> Completable {
        return self.do(onCompleted: body).andThen(Completable.empty())
    }
}

class Logger {
    var lines: [String] = []
}

/// An activity indicator, as in RxSwift's examples.
class ActivityIndicator: ObservableConvertibleType {
    typealias Element = Bool

    private let lock = NSRecursiveLock()
    private let relay = BehaviorRelay(value: 0)
    private lazy var loading: Observable<Bool> = relay.asObservable().map { $0 > 0 }.distinctUntilChanged()

    fileprivate func track<Source: ObservableConvertibleType>(_ source: Source) -> Observable<Source.Element>
    {
        return Observable.using(
            { () -> ActivityToken<Source.Element> in
                self.increment()
                return ActivityToken(source: source.asObservable(), disposeAction: self.decrement)
            },
            observableFactory: { token in
                return token.asObservable()
            })
    }

    private func increment() {
        lock.lock()
        relay.accept(relay.value + 1)
        lock.unlock()
    }

    private func decrement() {
        lock.lock()
        relay.accept(relay.value - 1)
        lock.unlock()
    }

    func asObservable() -> Observable<Bool> {
        return loading
    }
}

private struct Unused {}

private class ActivityToken<E>: ObservableConvertibleType, Disposable {
    private let _source: Observable<E>
    private let _dispose: Cancelable

    init(source: Observable<E>, disposeAction: @escaping () -> Void) {
        _source = source
        _dispose = Disposables.create(with: disposeAction)
    }

    func dispose() {
        _dispose.dispose()
    }

    func asObservable() -> Observable<E> {
        return _source
    }
}
