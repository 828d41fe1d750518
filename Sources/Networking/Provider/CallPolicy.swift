import Dispatch
public import JSONBytes
public import Rx

/// The limits, retries and redirects of a provider's calls.
public struct CallPolicy: Sendable, Hashable {
    /// The limit of one call, including all attempts and the waits between them. Default 10 s. A call never
    /// outlasts the deadline of the incoming request.
    public var totalTimeout: Duration = .seconds(10) {
        didSet {
            guard !setsAttemptLimits else { return }
            attemptLimits = AttemptLimits().raised(to: totalTimeout)
            setsAttemptLimits = false
        }
    }
    /// The limits of one attempt. Default: 1 s to connect, 5 s to the first byte and between two reads, 5 s
    /// without progress in sending. Setting `totalTimeout` raises each limit to it, unless this property is
    /// set.
    public var attemptLimits = AttemptLimits() {
        didSet { setsAttemptLimits = true }
    }
    private var setsAttemptLimits = false
    /// When a failed attempt is repeated. Default: up to three attempts, for idempotent methods.
    public var retry = CallRetryPolicy()
    /// Which redirects are followed. Default: none.
    public var redirects = RedirectPolicy.never
    /// How often interceptors may send one call again. Default 10. After that, the last outcome stands.
    public var maxInterceptorRetries = 10
    /// A streamed body of at least this many bytes, or of unknown length, is sent with
    /// `Expect: 100-continue`, so that the upstream can reject it beforehand. After a 417 the request is sent
    /// again without the field (RFC 9110 10.1.1). Default 1 MiB; nil turns this off.
    public var expectContinueFrom: Int? = 1 << 20
    /// Limits on a response's JSON. A body that exceeds them is rejected. Default: 64 levels, numbers of 256
    /// bytes.
    public var json = JSONLimits.standard

    /// Creates a policy with the default values.
    public init() {}
}

/// When a failed attempt is repeated. Applies only to safe and idempotent methods (RFC 9110 9.2.2).
///
/// Retried: `dns_timeout`, `connection_refused`, `connection_timeout`, `connection_terminated`,
/// `http_response_incomplete`; the statuses 502, 503 and 504; 429 only with `Retry-After`. Never retried:
/// read and response timeouts, TLS, protocol and size errors, other statuses, and decoding failures.
public struct CallRetryPolicy: Sendable, Hashable {
    /// Maximum number of attempts, including the first. Default 3; 1 turns retries off.
    public var maxAttempts: Int = 3
    /// The waits between attempts, in addition to `Retry-After`. Default: first a random time of up to 10 ms,
    /// then up to twice the previous bound ("full jitter"), at most 1 s.
    public var backoff = Backoff.exponential(base: .milliseconds(10), cap: .seconds(1), jitter: .full)
    /// Upper limit for all waits after refused connections, so that calls to a dead upstream fail soon.
    /// Default 40 ms.
    public var refusedLimit: Duration = .milliseconds(40)

    /// Creates a policy with the default values.
    public init() {}

    /// A single attempt.
    public static let never: CallRetryPolicy = {
        var policy = CallRetryPolicy()
        policy.maxAttempts = 1
        return policy
    }()
}
