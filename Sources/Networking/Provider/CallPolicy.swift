import Dispatch
public import JSONBytes
public import Rx

/// How a provider makes its calls.
public struct CallPolicy: Sendable, Hashable {
    /// One call: all attempts and the waits between them. Default 10 s, and never past the deadline of the
    /// request that the call is made for.
    public var totalTimeout: Duration = .seconds(10) {
        didSet {
            guard !setsAttemptLimits else { return }
            attemptLimits = AttemptLimits().raised(to: totalTimeout)
            setsAttemptLimits = false
        }
    }
    /// One attempt. Default: 1 s to connect, 5 s to the first byte and between two pieces, 5 s for the upstream to take some of
    /// the request; where `totalTimeout` is set, each is raised to it. Limits that are set stay as they are.
    public var attemptLimits = AttemptLimits() {
        didSet { setsAttemptLimits = true }
    }
    private var setsAttemptLimits = false
    /// Whether a failed attempt is made again. Default: three attempts in all, for idempotent methods.
    public var retry = CallRetryPolicy()
    /// Which redirects are followed. Default none.
    public var redirects = RedirectPolicy.never
    /// How often an interceptor may have one call sent again. Default 10; its last outcome stands then.
    public var maxInterceptorRetries = 10
    /// A streamed body of this many bytes or more, or of an unknown length, is sent with `Expect: 100-continue`, so that an
    /// upstream may refuse it before it comes; nil: none is. An upstream that answers 417 gets the request again without it
    /// (RFC 9110 10.1.1). Default 1 MiB.
    public var expectContinueFrom: Int? = 1 << 20
    /// What a response's JSON may ask of its reader: beyond it the body is no JSON. Default 64 levels, numbers of 256 bytes.
    public var json = JSONLimits.standard

    /// The defaults.
    public init() {}
}

/// When a failed call is made again. Only safe and idempotent methods (RFC 9110 9.2.2) ever are.
///
/// Retried: `dns_timeout`, `connection_refused`, `connection_timeout`, `connection_terminated`,
/// `http_response_incomplete`; the statuses 502, 503 and 504; 429 only with `Retry-After`. Never: read and
/// response time-outs, TLS, protocol and size errors, other statuses, and what fails in decoding.
public struct CallRetryPolicy: Sendable, Hashable {
    /// Attempts in all, the first included. Default 3; 1 turns retries off.
    public var maxAttempts: Int = 3
    /// The waits; `Retry-After` comes on top. Default: the first is a random time up to 10 ms, each further one up to twice
    /// the one before ("full jitter"), none longer than 1 s.
    public var backoff = Backoff.exponential(base: .milliseconds(10), cap: .seconds(1), jitter: .full)
    /// Waits after refused connections take no longer in all, so that a dead upstream is told soon.
    /// Default 40 ms.
    public var refusedLimit: Duration = .milliseconds(40)

    /// The defaults.
    public init() {}

    /// One attempt, whatever happens.
    public static let never: CallRetryPolicy = {
        var policy = CallRetryPolicy()
        policy.maxAttempts = 1
        return policy
    }()
}
