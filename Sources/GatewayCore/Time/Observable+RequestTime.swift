public import Rx

// Operators on the clock of the request in which their streams are subscribed to. They need no scheduler
// there, and what follows a wait belongs to the request. Outside a request, the streams fail with a fault
// that names the operator: `500 INTERNAL` and an incident.

extension ObservableType {
    /// Fails with `RxError.timeout` if `dueTime` passes without an event. The time restarts after each
    /// delivery. As a part's failure it is `http_response_timeout`, answered with 504.
    public func timeout(_ dueTime: RxTimeInterval) -> Observable<Element> {
        let source = asObservable()
        return Observable<Element>.deferred {
            source.timeout(dueTime, scheduler: try RequestScheduler.current(for: "timeout(_:)"))
        }
    }

    /// Switches to `other` if `dueTime` passes without an event. The timeout does not apply to `other`.
    public func timeout(_ dueTime: RxTimeInterval, other: Observable<Element>) -> Observable<Element> {
        let source = asObservable()
        return Observable<Element>.deferred {
            source.timeout(
                dueTime, other: other, scheduler: try RequestScheduler.current(for: "timeout(_:other:)"))
        }
    }

    /// Delays values and completion by `dueTime`. An error is delivered immediately and drops pending values.
    public func delay(_ dueTime: RxTimeInterval) -> Observable<Element> {
        let source = asObservable()
        return Observable<Element>.deferred {
            source.delay(dueTime, scheduler: try RequestScheduler.current(for: "delay(_:)"))
        }
    }

    /// Subscribes to the source again when it fails, as often and after the waits that `policy` allows. Calls
    /// of a provider are retried by its `CallPolicy` already.
    public func retry(_ policy: RetryPolicy) -> Observable<Element> {
        let source = asObservable()
        return Observable<Element>.deferred {
            source.retry(policy, scheduler: try RequestScheduler.current(for: "retry(_:)"))
        }
    }
}

extension ObservableType where Element: FixedWidthInteger {
    /// Emits 0 after `period`, then 1, 2 and so on every `period`. It never ends.
    public static func interval(_ period: RxTimeInterval) -> Observable<Element> {
        Observable<Element>.deferred {
            Observable<Element>.interval(
                period, scheduler: try RequestScheduler.current(for: "interval(_:)"))
        }
    }

    /// Emits 0 after `dueTime`, then 1, 2 and so on every `period`. Without a period it completes after
    /// the 0.
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil
    ) -> Observable<Element> {
        Observable<Element>.deferred {
            Observable<Element>.timer(
                dueTime, period: period, scheduler: try RequestScheduler.current(for: "timer(_:period:)"))
        }
    }
}

extension PrimitiveSequence {
    /// Fails with `RxError.timeout` if it does not end within `dueTime`. As a part's failure it is
    /// `http_response_timeout`, answered with 504.
    public func timeout(_ dueTime: RxTimeInterval) -> PrimitiveSequence<Trait, Element> {
        Self.deferred {
            self.timeout(dueTime, scheduler: try RequestScheduler.current(for: "timeout(_:)"))
        }
    }

    /// Switches to `other` if it does not end within `dueTime`.
    public func timeout(
        _ dueTime: RxTimeInterval, other: PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        Self.deferred {
            self.timeout(
                dueTime, other: other, scheduler: try RequestScheduler.current(for: "timeout(_:other:)"))
        }
    }

    /// Delays the value or the completion by `dueTime`. An error is delivered immediately.
    public func delay(_ dueTime: RxTimeInterval) -> PrimitiveSequence<Trait, Element> {
        Self.deferred {
            self.delay(dueTime, scheduler: try RequestScheduler.current(for: "delay(_:)"))
        }
    }

    /// Subscribes to the source again when it fails, as often and after the waits that `policy` allows. Calls
    /// of a provider are retried by its `CallPolicy` already.
    public func retry(_ policy: RetryPolicy) -> PrimitiveSequence<Trait, Element> {
        Self.deferred {
            self.retry(policy, scheduler: try RequestScheduler.current(for: "retry(_:)"))
        }
    }
}
