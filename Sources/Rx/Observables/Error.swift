extension ObservableType {
    /// Creates a stream that fails with `error` on subscription.
    @inlinable
    public static func error(_ error: any Error) -> Observable<Element> {
        Failing(error)
    }
}

// Sound: it adds only constants.
@usableFromInline
final class Failing<Element: Sendable>: Observable<Element>, @unchecked Sendable {
    private let failure: any Error

    @usableFromInline
    init(_ error: any Error) {
        failure = error
        super.init()
    }

    override consuming func run(_ port: consuming Downstream<Element>) {
        port.error(failure)
    }
}
