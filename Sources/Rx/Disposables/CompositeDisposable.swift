import Locking

// Sound: it adds only constants, locks and atomics.
/// A group of disposables that are disposed together.
public final class CompositeDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    /// Identifies a member of the group, for `remove(for:)`.
    public struct DisposeKey: Sendable {
        fileprivate let id: UInt64
    }

    private struct State {
        var members: [UInt64: any Disposable] = [:]
        var order: UInt64 = 0
        var isDisposed = false
    }

    private let state: Lock<State>

    public override init() {
        state = Lock(State())
        super.init()
    }

    /// Creates a group of `disposables`.
    public init(disposables: [any Disposable]) {
        state = Lock(State())
        super.init()
        for disposable in disposables { _ = insert(disposable) }
    }

    /// Creates a group of two or more disposables.
    public convenience init(_ first: any Disposable, _ second: any Disposable, _ rest: any Disposable...) {
        self.init(disposables: [first, second] + rest)
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool {
        state.withLock { $0.isDisposed }
    }

    /// The number of members. After disposal it is 0.
    public var count: Int {
        state.withLock { $0.members.count }
    }

    /// Adds `disposable` and returns its key. If the group is already disposed, disposes it at once and
    /// returns nil.
    public func insert(_ disposable: any Disposable) -> DisposeKey? {
        let key: DisposeKey? = state.withLock { state in
            guard !state.isDisposed else { return nil }
            state.order += 1
            state.members[state.order] = disposable
            return DisposeKey(id: state.order)
        }
        if key == nil { disposable.dispose() }
        return key
    }

    /// Removes the disposable with the given key and disposes it.
    public func remove(for key: DisposeKey) {
        state.withLock { $0.members.removeValue(forKey: key.id) }?.dispose()
    }

    /// Disposes all members in the order they were added. Members added later are disposed at once.
    public func dispose() {
        stop()
    }

    override func stop(_ stops: inout DisposalStack) {
        stops.dispose(takeMembers())
    }

    private func takeMembers() -> [any Disposable] {
        let members = state.withLock { state in
            defer {
                state.members = [:]
                state.isDisposed = true
            }
            return state.members
        }
        return members.sorted { $0.key < $1.key }.map(\.value)
    }

    override func unlink(_ others: inout [Link]) -> Link? {
        others += takeMembers().compactMap { $0 as? Link }
        return nil
    }

    deinit {
        var members: [Link] = []
        _ = unlink(&members)
        while !members.isEmpty { Link.free(members.popLast()) }
    }
}
