import Locking

// Sound: it adds only constants, locks and atomics.
/// Disposes its members when it is deallocated.
public final class DisposeBag: DisposeBase, @unchecked Sendable {
    private let members = Lock<[any Disposable]>([])

    public override init() {
        super.init()
    }

    /// Creates a bag with the given disposables.
    public convenience init(disposing disposables: any Disposable...) {
        self.init()
        insert(disposables)
    }

    /// Creates a bag with the given disposables.
    public convenience init(disposing disposables: [any Disposable]) {
        self.init()
        insert(disposables)
    }

    /// Creates a bag with the disposables that `builder` lists, one on each line.
    public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
        self.init()
        insert(builder())
    }

    deinit {
        for member in members.withLock({ $0 }) { member.dispose() }
    }

    /// Adds `disposable`, which is disposed when the bag is deallocated.
    public func insert(_ disposable: any Disposable) {
        members.withLock { $0.append(disposable) }
    }

    /// Adds disposables, which are disposed when the bag is deallocated.
    public func insert(_ disposables: any Disposable...) {
        insert(disposables)
    }

    /// Adds disposables, which are disposed when the bag is deallocated.
    public func insert(_ disposables: [any Disposable]) {
        members.withLock { $0.append(contentsOf: disposables) }
    }

    /// Adds the disposables that `builder` lists, one on each line.
    public func insert(@DisposableBuilder builder: () -> [any Disposable]) {
        insert(builder())
    }

    /// Collects the disposables that a closure lists.
    @resultBuilder
    public enum DisposableBuilder {
        /// Collects the disposables of the builder.
        public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] {
            disposables
        }
    }
}
