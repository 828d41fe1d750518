// Ported code, as its authors document it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import Rx
import RxVirtualTime

/// A custom observer.
class Recorder<Value>: ObserverType {
    typealias Element = Value

    var events: [Event<Value>] = []

    func on(_ event: Event<Value>) {
        events.append(event)
    }
}

struct ClosureObserver<Value>: ObserverType {
    let handler: (Event<Value>) -> Void

    func on(_ event: Event<Value>) {
        handler(event)
    }
}

/// Custom observables.
class Ticker: ObservableType {
    typealias Element = Int

    private let subject = PublishSubject<Int>()
    private var count = 0

    func tick() {
        count += 1
        subject.onNext(count)
    }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> Disposable where Observer.Element == Int {
        return subject.subscribe(observer)
    }
}

struct ControlEvent<PropertyType>: ObservableType {
    typealias Element = PropertyType

    let events: Observable<PropertyType>

    init<Events: ObservableType>(events: Events) where Events.Element == Element {
        self.events = events.subscribe(on: ConcurrentMainScheduler.instance)
    }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> Disposable
    where Observer.Element == Element {
        return events.subscribe(observer)
    }

    func asObservable() -> Observable<Element> {
        return events
    }
}

class Countdown: ConnectableObservableType {
    typealias Element = Int

    private let source: ConnectableObservable<Int>

    init(from start: Int) {
        source = Observable.range(start: 0, count: start).map { start - $0 }.publish()
    }

    func connect() -> Disposable {
        return source.connect()
    }

    func subscribe<O: ObserverType>(_ observer: O) -> Disposable where O.Element == Int {
        return source.subscribe(observer)
    }
}

class Box<Value>: SubjectType {
    typealias Element = Value
    typealias Observer = AnyObserver<Value>

    private let subject: BehaviorSubject<Value>

    init(_ value: Value) {
        subject = BehaviorSubject(value: value)
    }

    func asObserver() -> AnyObserver<Value> {
        return AnyObserver(subject)
    }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> Disposable
    where Observer.Element == Value {
        return subject.subscribe(observer)
    }
}

class Resource: Cancelable {
    var isDisposed = false

    func dispose() {
        isDisposed = true
    }
}

/// Custom schedulers.
class InlineScheduler: ImmediateSchedulerType {
    var count = 0

    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> Disposable) -> Disposable {
        count += 1
        return action(state)
    }
}

class LateScheduler: SchedulerType {
    let queue = DispatchQueue(label: "late")

    var now: Date { return Date() }

    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> Disposable) -> Disposable {
        return scheduleRelative(state, dueTime: .milliseconds(1), action: action)
    }

    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> Disposable
    ) -> Disposable {
        let disposable = SingleAssignmentDisposable()
        queue.asyncAfter(deadline: .now() + dueTime) {
            if !disposable.isDisposed { disposable.setDisposable(action(state)) }
        }
        return disposable
    }

    func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping (StateType) -> StateType
    ) -> Disposable {
        let bag = SerialDisposable()
        bag.disposable = scheduleRelative(state, dueTime: startAfter) { [weak self] state in
            guard let self = self else { return Disposables.create() }
            return self.schedulePeriodic(action(state), startAfter: period, period: period, action: action)
        }
        return bag
    }
}

struct FrameConverter: VirtualTimeConverterType {
    typealias VirtualTimeUnit = Int
    typealias VirtualTimeIntervalUnit = Int

    func convertFromVirtualTime(_ virtualTime: Int) -> RxTime {
        return Date(timeIntervalSince1970: Double(virtualTime) / 60)
    }

    func convertToVirtualTime(_ time: RxTime) -> Int {
        return Int((time.timeIntervalSince1970 * 60).rounded())
    }

    func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval {
        return Double(virtualTimeInterval) / 60
    }

    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> Int {
        return Int((timeInterval * 60).rounded())
    }

    func offsetVirtualTime(_ time: Int, offset: Int) -> Int {
        return time + offset
    }

    func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
        return lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
    }
}

class FrameScheduler: VirtualTimeScheduler<FrameConverter> {
    var frames: [Int] = []

    init() {
        super.init(initialClock: 0, converter: FrameConverter())
    }

    override func adjustScheduledTime(_ time: Int) -> Int {
        frames.append(time)
        return max(time, clock + 1)
    }

    func at(_ frame: Int, _ body: @escaping () -> Void) {
        _ = scheduleAbsoluteVirtual((), time: frame) { _ in
            body()
            return Disposables.create()
        }
    }
}

/// Helpers that users of RxSwift add to their tests.
extension Event: Equatable where Element: Equatable {
    public static func == (lhs: Event<Element>, rhs: Event<Element>) -> Bool {
        switch (lhs, rhs) {
        case (.next(let lhs), .next(let rhs)): return lhs == rhs
        case (.error(let lhs), .error(let rhs)): return "\(lhs)" == "\(rhs)"
        case (.completed, .completed): return true
        default: return false
        }
    }
}

extension MaybeEvent: Equatable where Element: Equatable {
    public static func == (lhs: MaybeEvent<Element>, rhs: MaybeEvent<Element>) -> Bool {
        switch (lhs, rhs) {
        case (.success(let lhs), .success(let rhs)): return lhs == rhs
        case (.completed, .completed): return true
        default: return false
        }
    }
}

extension CompletableEvent: Equatable {
    public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
        if case .completed = lhs, case .completed = rhs { return true }
        return false
    }
}
