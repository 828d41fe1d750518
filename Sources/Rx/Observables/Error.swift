extension ObservableType {
    /// Fails at once.
    @inlinable
    public static func error(_ error: any Error) -> Observable<Element> {
        Failing(error)
    }
}

@usableFromInline
final class Failing<Element: Sendable>: Observable<Element>, @unchecked Sendable {
    private let failure: any Error

    @usableFromInline
    init(_ error: any Error) {
        failure = error
        super.init()
    }

    override class func run(_ source: consuming Observable<Element>, _ port: consuming Downstream<Element>) {
        port.error(unsafeDowncast(source, to: Failing<Element>.self).failure)
    }
}
