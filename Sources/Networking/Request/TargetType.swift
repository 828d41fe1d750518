public import HTTPModel

/// The calls of an upstream API, usually an enum with a case for each call (Moya's `TargetType`).
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
    /// Scheme, authority and path prefix, without a query: `http://host:port/prefix`. Ignored if the provider
    /// has its own address. Preferably a constant: a provider caches 1024 parsed base URLs.
    var baseURL: String { get }

    /// The path after the base URL. Each interpolated value becomes one percent-encoded segment.
    var path: RequestPath { get }

    /// The method. Default GET.
    var method: HTTPMethod { get }

    /// Fields of this call, added to the fields of the provider and the context. Default none. Setting a
    /// field of the transport (`Host`, `Content-Length`, `Expect` and the hop-by-hop fields) fails the call.
    var headers: HTTPFields { get }

    /// The body and the query: nothing, JSON, parameters. Default `.plain`.
    var task: RequestTask { get }

    /// The envelope in which the upstream wraps its responses. Default `.none`.
    var envelope: ResponseEnvelope { get }

    /// Whether a 2xx without a body, or a successful envelope without data, is an empty response like a 204.
    /// Default false: it is a failure.
    var allowsEmptyBody: Bool { get }

    /// The limit of the whole call, with all attempts and the waits between them. Default nil: the provider's
    /// `CallPolicy.totalTimeout`. A call never outlasts the deadline of the incoming request. Raises shorter
    /// limits of one attempt, unless `attemptLimits` is set.
    var timeout: Duration? { get }

    /// The limits of one attempt. Default nil: the provider's `CallPolicy.attemptLimits`.
    var attemptLimits: AttemptLimits? { get }

    /// The statuses that the call accepts. Any other fails the call itself, so that interceptors and `retry`
    /// see it. Default `.none`: accepts all, and `checkStatusCode()` and the operators that read the body
    /// check the status.
    var validation: ValidationType { get }

    /// Whether the response's content codings are decoded. Default `.automatic`, unless the session says
    /// `.none`.
    var contentDecoding: ContentDecoding { get }

    /// The response if the provider stubs the call. Default: 200 with `sampleData` as JSON.
    var sampleResponse: SampleResponse { get }

    /// The body of the default `sampleResponse`. Default empty.
    var sampleData: ArraySlice<UInt8> { get }
}

extension TargetType {
    /// Default: GET.
    public var method: HTTPMethod { .get }
    /// Default: none.
    public var headers: HTTPFields { HTTPFields() }
    /// Default: neither parameters nor a body.
    public var task: RequestTask { .plain }
    /// Default: the body as it is.
    public var envelope: ResponseEnvelope { .none }
    /// Default: false.
    public var allowsEmptyBody: Bool { false }
    /// Default: nil, for the provider's limit.
    public var timeout: Duration? { nil }
    /// Default: nil, for the provider's limits.
    public var attemptLimits: AttemptLimits? { nil }
    /// Default: any status.
    public var validation: ValidationType { .none }
    /// Default: automatic.
    public var contentDecoding: ContentDecoding { .automatic }
    /// Default: empty.
    public var sampleData: ArraySlice<UInt8> { [] }
    /// Default: 200 with `sampleData`.
    public var sampleResponse: SampleResponse {
        .response(200, fields: [.contentType: "application/json"], body: sampleData)
    }
}
