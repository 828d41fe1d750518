/// Something that can be ended: a subscription, a timer, a resource. `dispose()` is idempotent and may be called from
/// any thread.
public protocol Disposable: AnyObject, Sendable {
    func dispose()
}

/// A disposable that tells whether it was disposed.
public protocol Cancelable: Disposable {
    var isDisposed: Bool { get }
}

extension Disposable {
    /// Disposes this when `bag` goes.
    public func disposed(by bag: DisposeBag) {
        bag.insert(self)
    }
}

/// Makes disposables.
public enum Disposables {
    /// One that does nothing.
    public static func create() -> any Disposable {
        NopDisposable.shared
    }

    /// One that calls `dispose` once.
    @preconcurrency
    public static func create(with dispose: @escaping @Sendable () -> Void) -> any Cancelable {
        AnonymousDisposable(dispose)
    }

    /// One that disposes both.
    public static func create(_ first: any Disposable, _ second: any Disposable) -> any Cancelable {
        CompositeDisposable(first, second)
    }

    /// One that disposes all three.
    public static func create(
        _ first: any Disposable, _ second: any Disposable, _ third: any Disposable
    ) -> any Cancelable {
        CompositeDisposable(first, second, third)
    }

    /// One that disposes them all.
    public static func create(
        _ first: any Disposable, _ second: any Disposable, _ third: any Disposable,
        _ rest: any Disposable...
    ) -> any Cancelable {
        CompositeDisposable(disposables: [first, second, third] + rest)
    }

    /// One that disposes them all.
    public static func create(_ disposables: [any Disposable]) -> any Cancelable {
        CompositeDisposable(disposables: disposables)
    }
}

private final class NopDisposable: Disposable {
    static let shared = NopDisposable()

    func dispose() {}
}
