// Ported code, as its authors document it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import Rx

// Closures that share variables: allowed in mode 5, an error in mode 6 that no library can turn into a
// warning.

extension Observable where Element: Any {
    public static func cascade<S: Sequence>(_ observables: S) -> Observable
    where S.Element == Observable {
        let flow = Array(observables)
        if flow.isEmpty { return Observable.empty() }
        return Observable<Element>.create { observer in
            var current = 0
            var initialized = false
            var subscriptions: [SerialDisposable?] = flow.map { _ in SerialDisposable() }
            let lock = NSRecursiveLock()
            lock.lock()
            defer { lock.unlock() }
            for i in 0..<flow.count {
                let index = i
                let disposable = flow[index].subscribe { event in
                    lock.lock()
                    defer { lock.unlock() }
                    switch event {
                    case let .next(element):
                        while current < index {
                            subscriptions[current]?.dispose()
                            subscriptions[current] = nil
                            current += 1
                        }
                        if index == current {
                            observer.onNext(element)
                        }
                    case .completed:
                        if index >= current {
                            if initialized {
                                subscriptions[index]?.dispose()
                                subscriptions[index] = nil
                                for next in current..<subscriptions.count where subscriptions[next] != nil {
                                    return
                                }
                                observer.onCompleted()
                            }
                        }
                    case let .error(error):
                        observer.onError(error)
                    }
                }
                if let serialDisposable = subscriptions[index] {
                    serialDisposable.disposable = disposable
                } else {
                    disposable.dispose()
                }
            }
            initialized = true
            for i in 0..<flow.count where subscriptions[i] != nil {
                return Disposables.create {
                    subscriptions.forEach { $0?.dispose() }
                }
            }
            observer.onCompleted()
            return Disposables.create()
        }
    }
}
