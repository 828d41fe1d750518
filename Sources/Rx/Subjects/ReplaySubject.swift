import Locking

/// Keeps the last values: who subscribes gets those first, also after its end.
public final class ReplaySubject<Element: Sendable>: Observable<Element>, SubjectType, ObserverType,
    Cancelable,
    SubjectHost, @unchecked Sendable
{
    private struct State {
        /// The last values; once there are `bufferSize` of them, a ring whose oldest is at `oldest`.
        var values: [Element] = []
        var oldest = 0
        var links: [Link] = []
        var end: SubjectCore.End?
        var isDisposed = false
    }

    private let bufferSize: Int
    private let state = Lock(State())

    private init(bufferSize: Int) {
        precondition(bufferSize >= 0, "a buffer cannot hold \(bufferSize) values")
        self.bufferSize = bufferSize
        super.init()
    }

    /// One that keeps the last `bufferSize` values.
    public static func create(bufferSize: Int) -> ReplaySubject<Element> {
        ReplaySubject(bufferSize: bufferSize)
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

    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): onNext(element)
        case .error(let error): onError(error)
        case .completed: onCompleted()
        }
    }

    public func onNext(_ element: Element) {
        // The value that makes room goes outside of the lock.
        var value = element
        let links: [Link] = state.withLock { state in
            guard state.end == nil, !state.isDisposed else { return [] }
            if state.values.count < bufferSize {
                state.values.append(element)
            } else if bufferSize > 0 {
                swap(&state.values[state.oldest], &value)
                state.oldest += 1
                if state.oldest == bufferSize { state.oldest = 0 }
            }
            return state.links
        }
        for link in links { unsafeDowncast(link, to: SubjectLink<Element>.self).send(element) }
    }

    public func onError(_ error: any Error) {
        end(.failed(error))
    }

    public func onCompleted() {
        end(.completed)
    }

    private func end(_ end: SubjectCore.End) {
        let links: [Link] = state.withLock { state in
            guard state.end == nil, !state.isDisposed else { return [] }
            state.end = end
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
            let before = state
            state = State(end: state.end, isDisposed: true)
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
        let (values, end): ([Element], SubjectCore.End?) = state.withLock { state in
            if state.isDisposed { return ([], .failed(RxError.disposed(object: self))) }
            if state.end == nil { state.links.addOne(link) }
            guard state.oldest > 0 else { return (state.values, state.end) }
            return (state.values[state.oldest...] + Array(state.values[..<state.oldest]), state.end)
        }
        for value in values { link.deliver(value) }
        if let end { return link.deliver(end) }
        link.goLive()
        // It may have been closed before it was in the list.
        if !link.isOpen { leave(link) }
    }

    override class func run(_ source: consuming Observable<Element>, _ port: consuming Port<Element>) {
        let subject = unsafeDowncast(source, to: ReplaySubject<Element>.self)
        let link = ReplayLink<Element>(subject, port)
        if link.open() { subject.add(link) }
    }
}
