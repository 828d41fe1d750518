import Locking
import Synchronization

/// The values of one group of `groupBy(keySelector:)`.
public struct GroupedObservable<Key: Sendable, Element: Sendable>: ObservableType {
    /// The key that all values of the group share.
    public let key: Key
    private let source: Observable<Element>

    /// Creates a group with the values of `source`.
    public init(key: Key, source: Observable<Element>) {
        self.key = key
        self.source = source
    }

    /// Subscribes an observer. Disposing of the result ends the subscription.
    public func subscribe<Observer: ObserverType>(
        _ observer: Observer
    ) -> any Disposable where Observer.Element == Element {
        source.subscribe(observer)
    }

    /// Returns the stream without its type.
    public consuming func asObservable() -> Observable<Element> {
        source
    }
}

extension ObservableType {
    /// Splits the stream into one stream for each key, emitted when its first value arrives. Completion and
    /// errors, including one thrown by `keySelector`, end the groups first and then this stream. Groups do
    /// not replay values. The source stays subscribed, and all keys are kept, while this stream or any group
    /// is subscribed to.
    @inlinable
    @preconcurrency
    public consuming func groupBy<Key: Hashable & Sendable>(
        keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<GroupedObservable<Key, Element>> {
        GroupBy(asObservable(), keySelector)
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class GroupBy<Key: Hashable & Sendable, Element: Sendable>:
    StatefulOperator<Element, GroupedObservable<Key, Element>>, SourceOwner, @unchecked Sendable
{
    private let keySelector: @Sendable (Element) throws -> Key
    private let sourceRetains = SourceRetainCount()
    /// Whether the outer subscription has ended. Groups may still be subscribed to.
    private let isOuterClosed = Atomic<Bool>(false)
    private let groups = Lock(Groups())

    private struct Groups {
        var byKey: [Key: PublishSubject<Element>] = [:]
        /// In order of creation. They end in the same order.
        var ordered: [PublishSubject<Element>] = []
    }

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) {
        self.keySelector = keySelector
        super.init(source)
    }

    override func copy() -> Operator<Element, GroupedObservable<Key, Element>> {
        type(of: self).init(nil, keySelector)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        sourceRetains.begin(self)
        super.begin(source)
    }

    override func stop(_ stops: inout DisposalStack) {
        guard !isOuterClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        sourceRetains.release(&stops)
    }

    func stopSource(_ stops: inout DisposalStack) {
        upstream.close(&stops)
    }

    override func next(_ value: Element) {
        guard !upstream.isClosed else { return }
        let key: Key
        do {
            key = try keySelector(value)
        } catch {
            return self.error(error)
        }
        let (group, isNew) = self.group(key)
        if isNew, !isOuterClosed.load(ordering: .acquiring) {
            down.next(GroupedObservable(key: key, source: SourceRetainingStream(group, sourceRetains)))
        }
        group.onNext(value)
    }

    override func error(_ error: any Error) {
        end(error)
    }

    override func completed() {
        end(nil)
    }

    private func group(_ key: Key) -> (PublishSubject<Element>, isNew: Bool) {
        groups.withLock { groups in
            if let group = groups.byKey[key] { return (group, false) }
            let group = PublishSubject<Element>()
            groups.byKey[key] = group
            groups.ordered.append(group)
            return (group, true)
        }
    }

    private func end(_ error: (any Error)?) {
        guard upstream.end() else { return }
        let ended = groups.withLock { groups in
            defer { groups = Groups() }
            return groups
        }
        for group in ended.ordered {
            if let error { group.onError(error) } else { group.onCompleted() }
        }
        if !isOuterClosed.load(ordering: .acquiring) {
            if let error { down.error(error) } else { down.completed() }
        }
        stop()
        upstream.closeAndStop()
    }
}
