// Ported code, as its authors document it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Extensions as RxSwift users share them, written without regard to Sendable.

import Foundation
import Rx

extension ObservableType {
    private func weakify<Object: AnyObject, Input>(
        _ obj: Object, method: ((Object) -> (Input) -> Void)?
    ) -> ((Input) -> Void) {
        return { [weak obj] value in
            guard let obj = obj else { return }
            method?(obj)(value)
        }
    }

    private func weakify<Object: AnyObject>(_ obj: Object, method: ((Object) -> () -> Void)?) -> (() -> Void)
    {
        return { [weak obj] in
            guard let obj = obj else { return }
            method?(obj)()
        }
    }

    public func subscribe<Object: AnyObject>(
        weak obj: Object, _ on: @escaping (Object) -> (Event<Element>) -> Void
    ) -> Disposable {
        return self.subscribe(weakify(obj, method: on))
    }

    public func subscribe<Object: AnyObject>(
        weak obj: Object, onNext: ((Object) -> (Element) -> Void)? = nil,
        onError: ((Object) -> (Error) -> Void)? = nil, onCompleted: ((Object) -> () -> Void)? = nil,
        onDisposed: ((Object) -> () -> Void)? = nil
    ) -> Disposable {
        let disposable: Disposable
        if let disposed = onDisposed {
            disposable = Disposables.create(with: weakify(obj, method: disposed))
        } else {
            disposable = Disposables.create()
        }
        let observer = AnyObserver { [weak obj] (e: Event<Element>) in
            guard let obj = obj else { return }
            switch e {
            case .next(let value): onNext?(obj)(value)
            case .error(let e):
                onError?(obj)(e)
                disposable.dispose()
            case .completed:
                onCompleted?(obj)()
                disposable.dispose()
            }
        }
        return Disposables.create(self.asObservable().subscribe(observer), disposable)
    }

    public func subscribeNext<Object: AnyObject>(
        weak obj: Object, _ onNext: @escaping (Object) -> (Element) -> Void
    ) -> Disposable {
        return self.subscribe(onNext: weakify(obj, method: onNext))
    }

    public func mapWeak<Object: AnyObject, R>(_ obj: Object, _ f: @escaping (Object, Element) -> R)
        -> Observable<R>
    {
        map { [unowned obj] in f(obj, $0) }
    }
}

public enum RepeatBehavior {
    case immediate(maxCount: UInt)
    case delayed(maxCount: UInt, time: Double)
    case exponentialDelayed(maxCount: UInt, initial: Double, multiplier: Double)
    case customTimerDelayed(maxCount: UInt, delayCalculator: (UInt) -> DispatchTimeInterval)
}
public typealias RetryPredicate = (Error) -> Bool

extension RepeatBehavior {
    func calculateConditions(_ currentRepetition: UInt) -> (maxCount: UInt, delay: DispatchTimeInterval) {
        switch self {
        case .immediate(let max): return (maxCount: max, delay: .never)
        case .delayed(let max, let time): return (maxCount: max, delay: .milliseconds(Int(time * 1000)))
        case .exponentialDelayed(let max, let initial, let multiplier):
            let delay =
                currentRepetition == 1
                ? initial : initial * pow(1 + multiplier, Double(currentRepetition - 1))
            return (maxCount: max, delay: .milliseconds(Int(delay * 1000)))
        case .customTimerDelayed(let max, let delayCalculator):
            return (maxCount: max, delay: delayCalculator(currentRepetition))
        }
    }
}

extension ObservableType {
    public func retry(
        _ behavior: RepeatBehavior, scheduler: SchedulerType = MainScheduler.instance,
        shouldRetry: RetryPredicate? = nil
    ) -> Observable<Element> {
        return retry(1, behavior: behavior, scheduler: scheduler, shouldRetry: shouldRetry)
    }

    internal func retry(
        _ currentAttempt: UInt, behavior: RepeatBehavior, scheduler: SchedulerType = MainScheduler.instance,
        shouldRetry: RetryPredicate? = nil
    ) -> Observable<Element> {
        guard currentAttempt > 0 else { return Observable.empty() }
        let conditions = behavior.calculateConditions(currentAttempt)
        return self.catch { error -> Observable<Element> in
            guard conditions.maxCount > currentAttempt else { return Observable.error(error) }
            if let shouldRetry = shouldRetry, !shouldRetry(error) {
                return Observable.error(error)
            }
            guard conditions.delay != .never else {
                return self.retry(
                    currentAttempt + 1, behavior: behavior, scheduler: scheduler, shouldRetry: shouldRetry)
            }
            return Observable<Void>.just(()).delaySubscription(conditions.delay, scheduler: scheduler)
                .flatMapLatest {
                    self.retry(
                        currentAttempt + 1, behavior: behavior, scheduler: scheduler, shouldRetry: shouldRetry
                    )
                }
        }
    }
}
