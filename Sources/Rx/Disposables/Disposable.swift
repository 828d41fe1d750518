/// A resource that can be released, such as a subscription or a timer.
///
/// `dispose()` is idempotent and may be called from any thread.
public protocol Disposable: AnyObject, Sendable {
    func dispose()
}

public protocol Cancelable: Disposable {
    var isDisposed: Bool { get }
}

extension Disposable {
    /// Adds this to `bag`, which disposes its members when it is deallocated.
    public func disposed(by bag: DisposeBag) {
        bag.insert(self)
    }
}

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

    public static func create(_ first: any Disposable, _ second: any Disposable) -> any Cancelable {
        CompositeDisposable(first, second)
    }

    public static func create(
        _ first: any Disposable, _ second: any Disposable, _ third: any Disposable
    ) -> any Cancelable {
        CompositeDisposable(first, second, third)
    }

    public static func create(
        _ first: any Disposable, _ second: any Disposable, _ third: any Disposable,
        _ rest: any Disposable...
    ) -> any Cancelable {
        CompositeDisposable(disposables: [first, second, third] + rest)
    }

    public static func create(_ disposables: [any Disposable]) -> any Cancelable {
        CompositeDisposable(disposables: disposables)
    }
}

private final class NopDisposable: Disposable {
    static let shared = NopDisposable()

    func dispose() {}
}
