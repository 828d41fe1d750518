import Locking

/// Disposes its members when it is deallocated.
// Sound: it adds only constants, locks and atomics.
public final class DisposeBag: DisposeBase, @unchecked Sendable {
    private let members = Lock<[any Disposable]>([])

    public override init() {
        super.init()
    }

    public convenience init(disposing disposables: any Disposable...) {
        self.init()
        insert(disposables)
    }

    public convenience init(disposing disposables: [any Disposable]) {
        self.init()
        insert(disposables)
    }

    public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
        self.init()
        insert(builder())
    }

    deinit {
        for member in members.withLock({ $0 }) { member.dispose() }
    }

    public func insert(_ disposable: any Disposable) {
        members.withLock { $0.append(disposable) }
    }

    public func insert(_ disposables: any Disposable...) {
        insert(disposables)
    }

    public func insert(_ disposables: [any Disposable]) {
        members.withLock { $0.append(contentsOf: disposables) }
    }

    public func insert(@DisposableBuilder builder: () -> [any Disposable]) {
        insert(builder())
    }

    @resultBuilder
    public enum DisposableBuilder {
        public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] {
            disposables
        }
    }
}
