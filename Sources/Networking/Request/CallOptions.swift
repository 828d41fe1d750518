/// Options that few calls set, kept apart from the call.
final class CallOptions: Sendable {
    /// The limit of the whole call; nil for the provider's.
    let timeout: Duration?
    /// What `timeout` was before some of it had passed; nil if it is all of it.
    let wholeTimeout: Duration?
    /// The request's own limits; nil for the provider's, which `timeout` may raise.
    let attemptLimits: AttemptLimits?
    let validation: ValidationType
    let contentDecoding: ContentDecoding

    /// A year, in effect no limit.
    static let unbounded = Duration.seconds(365 * 86400)

    private init(
        _ timeout: Duration?, _ attemptLimits: AttemptLimits?, _ validation: ValidationType,
        _ contentDecoding: ContentDecoding
    ) {
        self.timeout = timeout
        wholeTimeout = nil
        self.attemptLimits = attemptLimits
        self.validation = validation
        self.contentDecoding = contentDecoding
    }

    /// Of calls whose responses are passed on as they are.
    static let relaying = CallOptions(unbounded, nil, .none, ContentDecoding.none)

    static func relaying(_ limits: AttemptLimits?) -> CallOptions {
        limits == nil ? relaying : CallOptions(unbounded, limits, .none, ContentDecoding.none)
    }

    /// Options of a call that has used up some of its time.
    init(timeLeft: Duration, of whole: Duration, _ limits: AttemptLimits, like other: CallOptions?) {
        timeout = timeLeft
        wholeTimeout = whole
        attemptLimits = limits
        validation = other?.validation ?? .none
        contentDecoding = other?.contentDecoding ?? .automatic
    }

    /// Returns nil if all options have their default values.
    @inline(__always)
    static func makeIfNeeded(
        timeout: Duration?, attemptLimits: AttemptLimits?, validation: ValidationType,
        contentDecoding: ContentDecoding
    ) -> CallOptions? {
        if timeout == nil, attemptLimits == nil, contentDecoding == .automatic, case .none = validation {
            return nil
        }
        return CallOptions(timeout, attemptLimits, validation, contentDecoding)
    }
}
