/// What few calls ask for, kept apart from the rest of a call.
final class CallOptions: Sendable {
    /// Of the whole call; nil: the provider's.
    let timeout: Duration?
    /// As the call's own request asks for; nil: the provider's, which `timeout` may raise.
    let attemptLimits: AttemptLimits?
    let validation: ValidationType
    let contentDecoding: ContentDecoding

    /// As good as no limit: a year.
    static let unbounded = Duration.seconds(365 * 86400)

    private init(
        _ timeout: Duration?, _ attemptLimits: AttemptLimits?, _ validation: ValidationType,
        _ contentDecoding: ContentDecoding
    ) {
        self.timeout = timeout
        self.attemptLimits = attemptLimits
        self.validation = validation
        self.contentDecoding = contentDecoding
    }

    /// Nil where nothing is asked for.
    @inline(__always)
    static func needed(
        timeout: Duration?, attemptLimits: AttemptLimits?, validation: ValidationType,
        contentDecoding: ContentDecoding
    ) -> CallOptions? {
        if timeout == nil, attemptLimits == nil, contentDecoding == .automatic, case .none = validation {
            return nil
        }
        return CallOptions(timeout, attemptLimits, validation, contentDecoding)
    }
}
