import Locking

/// Keeps the last values: who subscribes gets those first, also after its end.
public final class ReplaySubject<Element: Sendable>: Observable<Element>, SubjectType, ObserverType,
    Cancelable,
    SubjectHost, @unchecked Sendable
{
    private struct State {
        var values: [Element] = []
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
        let links: [Link] = state.withLock { state in
            guard state.end == nil, !state.isDisposed else { return [] }
            if bufferSize > 0 {
                // Trimmed in steps, so that a full buffer is not moved for every value.
                if state.values.count / 2 >= bufferSize {
                    state.values.removeFirst(state.values.count - bufferSize + 1)
                }
                state.values.append(element)
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
        state.withLock { state in
            state.isDisposed = true
            state.links = []
            state.values = []
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
        let (values, end): (ArraySlice<Element>, SubjectCore.End?) = state.withLock { state in
            if state.isDisposed { return ([], .failed(RxError.disposed(object: self))) }
            if state.end == nil { state.links.addOne(link) }
            return (state.values.suffix(bufferSize), state.end)
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
