import FoundationEssentials
import Locking

/// How long a subject's values are replayed.
struct ReplayLifetime: Sendable {
    private let microseconds: Double
    private let scheduler: any SchedulerType

    init(_ timeToLive: RxTimeInterval, _ scheduler: any SchedulerType) {
        microseconds = (timeToLive.seconds * 1e6).rounded()
        self.scheduler = scheduler
    }

    var now: RxTime { scheduler.now }

    /// Whether what came at `time` is too old at `now`. Times are dates, which are not exact.
    func hasPassed(since time: RxTime, at now: RxTime) -> Bool {
        (now.timeIntervalSince(time) * 1e6).rounded() >= microseconds
    }
}

/// What the lock guards besides the values. Outside of the generic class, where using it would look up metadata.
private struct ReplayState {
    /// The place of the oldest value.
    var oldest = 0
    /// When the values came, at the same places; kept where they get too old.
    var times: [RxTime] = []
    /// When what is replayed last came: the last value that is kept, without one the end.
    var newest: RxTime?
    /// The subscribers; none once it has ended or was disposed.
    var links: [Link] = []
    var end: SubjectCore.End?
    var isDisposed = false
}

/// Keeps the last values: who subscribes gets those first, also after its end.
// Sound: the lock guards `values`.
public final class ReplaySubject<Element: Sendable>: Observable<Element>, SubjectType, ObserverType,
    Cancelable,
    SubjectHost, @unchecked Sendable
{
    public typealias SubjectObserverType = ReplaySubject<Element>

    private let bufferSize: Int
    private let lifetime: ReplayLifetime?
    private let state = CrowdLock(ReplayState())
    /// The last values; once there are `bufferSize` of them, a ring. The state's lock guards them.
    private var values: [Element] = []

    private init(bufferSize: Int, lifetime: ReplayLifetime? = nil) {
        self.bufferSize = max(bufferSize, 0)
        self.lifetime = lifetime
        super.init()
    }

    /// One that keeps the last `bufferSize` values. With a negative size it has failed, with `RxError.argumentOutOfRange`.
    public static func create(bufferSize: Int) -> ReplaySubject<Element> {
        let subject = ReplaySubject(bufferSize: bufferSize)
        if bufferSize < 0 { subject.onError(RxError.argumentOutOfRange) }
        return subject
    }

    /// One that keeps the last `bufferSize` values, each as long as `lifetime` says.
    static func create(bufferSize: Int, lifetime: ReplayLifetime?) -> ReplaySubject<Element> {
        ReplaySubject(bufferSize: bufferSize, lifetime: lifetime)
    }

    /// One that keeps all values.
    public static func createUnbounded() -> ReplaySubject<Element> {
        ReplaySubject(bufferSize: .max)
    }

    /// Whether anybody is subscribed.
    public var hasObservers: Bool {
        state.withLock { !$0.links.isEmpty }
    }

    public var isDisposed: Bool {
        state.withLock { $0.isDisposed }
    }

    var hasEnded: Bool {
        state.withLock { $0.end != nil }
    }

    /// Whether it has ended and all that it replays is too old at `now`.
    func hasExpired(at now: RxTime?) -> Bool {
        guard let lifetime, let now else { return false }
        return state.withLock { state in
            guard state.end != nil, let newest = state.newest else { return false }
            return lifetime.hasPassed(since: newest, at: now)
        }
    }

    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): onNext(element)
        case .error(let error): onError(error)
        case .completed: onCompleted()
        }
    }

    public func onNext(_ element: Element) {
        let links = bufferSize == 0 ? state.withLock { $0.links } : keep(element)
        for link in links { unsafeDowncast(link, to: SubjectLink<Element>.self).send(element) }
    }

    /// Keeps the value. Those to send it to.
    private func keep(_ element: Element) -> [Link] {
        // The value that makes room goes outside of the lock.
        var value = element
        let now = lifetime?.now
        return state.withLock { state in
            guard state.end == nil, !state.isDisposed else { return [] }
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
            return state.links
        }
    }

    public func onError(_ error: any Error) {
        end(.failed(error))
    }

    public func onCompleted() {
        end(.completed)
    }

    private func end(_ end: SubjectCore.End) {
        let now = lifetime?.now
        let links: [Link] = state.withLock { state in
            guard state.end == nil, !state.isDisposed else { return [] }
            state.end = end
            if state.newest == nil { state.newest = now }
            let links = state.links
            state.links = []
            return links
        }
        for link in links { unsafeDowncast(link, to: SubjectLink<Element>.self).send(end) }
    }

    public func asObserver() -> ReplaySubject<Element> {
        self
    }

    /// Lets go of the subscribers without telling them; later ones fail with `RxError.disposed`.
    public func dispose() {
        // The subscribers and the values go outside of the lock: what ends with them may come back here.
        _ = state.withLock { state in
            let before = (state, values)
            state = ReplayState(end: state.end, isDisposed: true)
            values = []
            return before
        }
    }

    func leave(_ link: Link) {
        state.withLock { state in
            guard let index = state.links.firstIndex(where: { $0 === link }) else { return }
            state.links.removeOne(at: index)
        }
    }

    /// Adds a subscription and replays to it.
    func add(_ link: ReplayLink<Element>) {
        let end = bufferSize == 0 ? state.withLock { enter(link, &$0) } : replay(link)
        if let end { return link.deliver(end) }
        link.goLive()
        // It may have been closed before it was in the list.
        if !link.isOpen { leave(link) }
    }

    /// Adds a subscription. How the subject has ended.
    private func enter(_ link: Link, _ state: inout ReplayState) -> SubjectCore.End? {
        if state.isDisposed { return .failed(RxError.disposed(object: self)) }
        if state.end == nil { state.links.addOne(link) }
        return state.end
    }

    /// Adds a subscription and sends it the values. How the subject has ended.
    private func replay(_ link: ReplayLink<Element>) -> SubjectCore.End? {
        let now = lifetime?.now
        // Values that are too old go outside of the lock.
        let (kept, end, _): ([Element], SubjectCore.End?, [Element]) = state.withLock { state in
            let end = enter(link, &state)
            let old = now.map { dropOld(&state, $0) } ?? []
            guard state.oldest > 0 else { return (values, end, old) }
            return (values[state.oldest...] + Array(values[..<state.oldest]), end, old)
        }
        for value in kept { link.deliver(value) }
        return end
    }

    /// Takes out the values that are too old at `now`: the first ones.
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
