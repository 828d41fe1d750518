/// What few calls ask for, kept apart from the rest of a call.
final class CallOptions: Sendable {
    /// Of the whole call; nil: the provider's.
    let timeout: Duration?
    let validation: ValidationType

    /// As good as no limit: a year.
    static let unbounded = Duration.seconds(365 * 86400)

    private init(_ timeout: Duration?, _ validation: ValidationType) {
        self.timeout = timeout
        self.validation = validation
    }

    /// Nil where nothing is asked for.
    @inline(__always)
    static func needed(timeout: Duration?, validation: ValidationType) -> CallOptions? {
        if timeout == nil, case .none = validation { return nil }
        return CallOptions(timeout, validation)
    }
}
