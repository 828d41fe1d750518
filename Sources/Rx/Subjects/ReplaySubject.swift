import FoundationEssentials
import Locking

/// How long the values of a `ReplaySubject` are replayed.
struct ReplayLifetime: Sendable {
    private let microseconds: Double
    private let scheduler: any SchedulerType

    init(_ timeToLive: RxTimeInterval, _ scheduler: any SchedulerType) {
        microseconds = (timeToLive.seconds * 1e6).rounded()
        self.scheduler = scheduler
    }

    var now: RxTime { scheduler.now }

    /// Returns whether an event from `time` has expired at `now`, in whole microseconds, because dates are
    /// inexact.
    func hasPassed(since time: RxTime, at now: RxTime) -> Bool {
        (now.timeIntervalSince(time) * 1e6).rounded() >= microseconds
    }
}

/// The guarded state, except the values. Declared outside the generic class, where using it would look up
/// metadata.
private struct ReplayState {
    /// The index of the oldest value.
    var oldest = 0
    /// The arrival times of the values, by the same indices. Empty without a lifetime.
    var times: [RxTime] = []
    /// The arrival time of the latest replayed event: the last stored value or, without one, the end.
    var newest: RxTime?
    var core = SubjectCore.State()
}

// Sound: the lock guards `values`.
/// Passes events on to its subscribers and replays its latest values to each new subscriber, even after its
/// end.
public final class ReplaySubject<Element: Sendable>: Observable<Element>, SubjectType, ObserverType,
    Cancelable,
    SubjectHost, @unchecked Sendable
{
    /// The subject itself.
    public typealias SubjectObserverType = ReplaySubject<Element>

    private let bufferSize: Int
    private let lifetime: ReplayLifetime?
    private let state = AdaptiveLock(ReplayState())
    /// The latest values, as a ring buffer once there are `bufferSize` of them. Guarded by the lock of
    /// `state`.
    private var values: [Element] = []

    private init(bufferSize: Int, lifetime: ReplayLifetime? = nil) {
        self.bufferSize = max(bufferSize, 0)
        self.lifetime = lifetime
        super.init()
    }

    /// Creates a subject that replays `bufferSize` values. A negative size fails with
    /// `RxError.argumentOutOfRange`.
    public static func create(bufferSize: Int) -> ReplaySubject<Element> {
        let subject = ReplaySubject(bufferSize: bufferSize)
        if bufferSize < 0 { subject.onError(RxError.argumentOutOfRange) }
        return subject
    }

    /// Creates a subject that replays the last `bufferSize` values that are within `lifetime`.
    static func create(bufferSize: Int, lifetime: ReplayLifetime?) -> ReplaySubject<Element> {
        ReplaySubject(bufferSize: bufferSize, lifetime: lifetime)
    }

    /// Creates a subject that replays all values. The buffer grows without limit.
    public static func createUnbounded() -> ReplaySubject<Element> {
        ReplaySubject(bufferSize: .max)
    }

    /// Whether there is a subscription.
    public var hasObservers: Bool {
        state.withLock { !$0.core.links.isEmpty }
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool {
        state.withLock { $0.core.isDisposed }
    }

    var hasEnded: Bool {
        state.withLock { $0.core.end != nil }
    }

    /// Returns whether the subject has ended and everything it replays has expired at `now`.
    func hasExpired(at now: RxTime?) -> Bool {
        guard let lifetime, let now else { return false }
        return state.withLock { state in
            guard state.core.end != nil, let newest = state.newest else { return false }
            return lifetime.hasPassed(since: newest, at: now)
        }
    }

    /// Passes an event on to the observers.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): onNext(element)
        case .error(let error): onError(error)
        case .completed: onCompleted()
        }
    }

    /// Passes a value on to the observers.
    public func onNext(_ element: Element) {
        let links = bufferSize == 0 ? state.withLock { $0.core.links } : keep(element)
        links.send(element)
    }

    /// Stores the value and returns its recipients.
    private func keep(_ element: Element) -> [Link] {
        // The replaced value is released outside the lock.
        var value = element
        let now = lifetime?.now
        return state.withLock { state in
            guard !state.core.isOver else { return [] }
            if let now { state.newest = now }
            if values.count < bufferSize {
                values.append(element)
                if let now { state.times.append(now) }
            } else {
                swap(&values[state.oldest], &value)
                if let now { state.times[state.oldest] = now }
                state.oldest += 1
                if state.oldest == bufferSize { state.oldest = 0 }
            }
            return state.core.links
        }
    }

    /// Ends the stream with an error.
    public func onError(_ error: any Error) {
        end(.failed(error))
    }

    /// Ends the stream without an error.
    public func onCompleted() {
        end(.completed)
    }

    private func end(_ end: SubjectCore.End) {
        let now = lifetime?.now
        let links: [Link] = state.withLock { state in
            if !state.core.isOver, state.newest == nil { state.newest = now }
            return state.core.end(end)
        }
        links.send(end, to: Element.self)
    }

    /// Returns the subject as an observer.
    public func asObserver() -> ReplaySubject<Element> {
        self
    }

    /// Drops all subscribers silently. Later ones fail with `RxError.disposed`.
    public func dispose() {
        // Releasing subscribers and values may call back into this object, so it happens outside the lock.
        _ = state.withLock { state in
            let before = (state, values)
            state = ReplayState()
            state.core.end = before.0.core.end
            state.core.isDisposed = true
            values = []
            return before
        }
    }

    func leave(_ link: Link) {
        state.withLock { $0.core.remove(link) }
    }

    func add(_ link: ReplayLink<Element>) {
        let end = bufferSize == 0 ? state.withLock { enter(link, &$0) } : replay(link)
        if let end { return link.deliver(end) }
        link.goLive()
        // It may have been closed before it was added to the list.
        if !link.isOpen { leave(link) }
    }

    /// Adds a subscription. Returns how the subject ended, if it has.
    private func enter(_ link: Link, _ state: inout ReplayState) -> SubjectCore.End? {
        if state.core.isDisposed { return .failed(RxError.disposed(object: self)) }
        if state.core.end == nil { state.core.links.addOne(link) }
        return state.core.end
    }

    /// Adds a subscription and replays the values to it. Returns how the subject ended, if it has.
    private func replay(_ link: ReplayLink<Element>) -> SubjectCore.End? {
        let now = lifetime?.now
        // Expired values are released outside the lock.
        let (kept, end, _): ([Element], SubjectCore.End?, [Element]) = state.withLock { state in
            let end = enter(link, &state)
            let old = now.map { dropOld(&state, $0) } ?? []
            guard state.oldest > 0 else { return (values, end, old) }
            return (values[state.oldest...] + Array(values[..<state.oldest]), end, old)
        }
        for value in kept { link.deliver(value) }
        return end
    }

    /// Removes the values that have expired at `now`, which are the oldest ones, and returns the array to
    /// release.
    private func dropOld(_ state: inout ReplayState, _ now: RxTime) -> [Element] {
        guard let lifetime else { return [] }
        let count = values.count
        let places = (0..<count).map { (state.oldest + $0) % count }
        let fresh = places.drop { lifetime.hasPassed(since: state.times[$0], at: now) }
        guard fresh.count < count else { return [] }
        let old = values
        values = fresh.map { old[$0] }
        state.times = fresh.map { [times = state.times] in times[$0] }
        state.oldest = 0
        return old
    }

    override consuming func run(_ port: consuming Downstream<Element>) {
        let subject = self
        let link = ReplayLink<Element>(subject, port)
        if link.open() { subject.add(link) }
    }
}
