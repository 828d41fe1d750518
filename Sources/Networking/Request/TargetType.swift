public import HTTPModel

/// One endpoint family of an upstream API, usually an enum with a case a call (Moya's `TargetType`).
///
///     enum DiaryAPI: TargetType {
///         case weights(CalendarDate)
///         case day(CalendarDate)
///
///         var baseURL: String { "http://127.0.0.1:9001/food-diary" }
///         var path: RequestPath {
///             switch self {
///             case .weights: "/weights"
///             case .day(let date): "/weights/\(date)"
///             }
///         }
///         var task: RequestTask {
///             switch self {
///             case .weights(let date): .parameters(["fddDate": date], encoding: .query)
///             case .day: .plain
///             }
///         }
///         var envelope: ResponseEnvelope { .genericResponse }
///     }
public protocol TargetType: Sendable {
    /// Scheme, authority and path prefix, without query: `http://host:port/prefix`. Not asked for when the
    /// provider was given an address of its own. Best a constant: a provider keeps what it parsed of 1024 different ones.
    var baseURL: String { get }

    /// What comes after the base URL. Interpolated values become one percent-encoded segment each.
    var path: RequestPath { get }

    /// Default GET.
    var method: HTTPMethod { get }

    /// Fields of this call, on top of the provider's and the context's. Default none. `Host`, `Content-Length`
    /// and the hop-by-hop fields belong to the transport: naming one of them fails the call.
    var headers: HTTPFields { get }

    /// What is sent beside the head: nothing, JSON, parameters. Default `.plain`.
    var task: RequestTask { get }

    /// The envelope that the upstream wraps its answers in. Default `.none`.
    var envelope: ResponseEnvelope { get }

    /// Whether a 2xx without a body (and a success without data inside an envelope) is an answer that says
    /// "nothing", like a 204, and not a fault. Default false.
    var allowsEmptyBody: Bool { get }

    /// The longest that the call may take, all attempts and the waits between them. Default nil: what the provider's
    /// `CallPolicy.totalTimeout` says. Never past the deadline of the request that the call is made for. The limits of one
    /// attempt are raised to it where they are shorter, unless `attemptLimits` sets them.
    var timeout: Duration? { get }

    /// The limits of one attempt. Default nil: what the provider's `CallPolicy.attemptLimits` says.
    var attemptLimits: AttemptLimits? { get }

    /// The statuses for which the call itself fails, so that interceptors and `retry` see it. Default `.none`: any status is
    /// an answer, which `checkStatusCode()` and what reads the body judge.
    var validation: ValidationType { get }

    /// Whether the response's content codings are undone. Default `.automatic`, unless the session says `.none`.
    var contentDecoding: ContentDecoding { get }

    /// What the target is answered with where its provider stubs calls. Default: 200 with `sampleData` as JSON.
    var sampleResponse: SampleResponse { get }

    /// The body of the default sample. Default empty.
    var sampleData: ArraySlice<UInt8> { get }
}

extension TargetType {
    public var method: HTTPMethod { .get }
    public var headers: HTTPFields { HTTPFields() }
    public var task: RequestTask { .plain }
    public var envelope: ResponseEnvelope { .none }
    public var allowsEmptyBody: Bool { false }
    public var timeout: Duration? { nil }
    public var attemptLimits: AttemptLimits? { nil }
    public var validation: ValidationType { .none }
    public var contentDecoding: ContentDecoding { .automatic }
    public var sampleData: ArraySlice<UInt8> { [] }
    public var sampleResponse: SampleResponse {
        .response(200, fields: [.contentType: "application/json"], body: sampleData)
    }
}
