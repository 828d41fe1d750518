/// A resource that can be released, such as a subscription or a timer. Any thread may call `dispose()`, even
/// twice.
public protocol Disposable: AnyObject, Sendable {
    func dispose()
}

/// A disposable that tells whether it has been disposed.
public protocol Cancelable: Disposable {
    var isDisposed: Bool { get }
}

extension Disposable {
    /// Adds this to `bag`, which disposes its members when it is deallocated.
    public func disposed(by bag: DisposeBag) {
        bag.insert(self)
    }
}

/// Functions that make disposables.
public enum Disposables {
    /// Returns a disposable that does nothing.
    public static func create() -> any Disposable {
        NopDisposable.shared
    }

    /// Returns a disposable that calls `dispose` the first time it is disposed.
    @preconcurrency
    public static func create(with dispose: @escaping @Sendable () -> Void) -> any Cancelable {
        AnonymousDisposable(dispose)
    }

    /// Returns a disposable that disposes all of them, in this order.
    public static func create(_ first: any Disposable, _ second: any Disposable, _ rest: any Disposable...)
        -> any Cancelable
    {
        CompositeDisposable(disposables: [first, second] + rest)
    }

    /// Returns a disposable that disposes all `disposables`, in this order.
    public static func create(_ disposables: [any Disposable]) -> any Cancelable {
        CompositeDisposable(disposables: disposables)
    }
}

private final class NopDisposable: Disposable {
    static let shared = NopDisposable()

    func dispose() {}
}
