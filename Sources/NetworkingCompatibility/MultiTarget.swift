public import HTTPModel
public import Networking

/// A target of any type, for one provider of several APIs (Moya's `MultiTarget`).
///
///     let provider = MoyaProvider<MultiTarget>()
///     provider.rx.request(MultiTarget(GitHub.zen))
///
/// Logs and errors name the provider `MultiTarget`, where a provider of one API has the name of that API.
public enum MultiTarget: TargetType {
    /// A target.
    case target(any TargetType)

    /// Wraps a target.
    public init(_ target: any TargetType) { self = .target(target) }

    /// The target.
    public var target: any TargetType {
        switch self {
        case .target(let target): target
        }
    }

    /// The `baseURL` of the wrapped target.
    public var baseURL: String { target.baseURL }
    /// The `path` of the wrapped target.
    public var path: RequestPath { target.path }
    /// The `method` of the wrapped target.
    public var method: HTTPMethod { target.method }
    /// The `headers` of the wrapped target.
    public var headers: HTTPFields { target.headers }
    /// The `task` of the wrapped target.
    public var task: RequestTask { target.task }
    /// The `envelope` of the wrapped target.
    public var envelope: ResponseEnvelope { target.envelope }
    /// The `allowsEmptyBody` of the wrapped target.
    public var allowsEmptyBody: Bool { target.allowsEmptyBody }
    /// The `timeout` of the wrapped target.
    public var timeout: Duration? { target.timeout }
    /// The `attemptLimits` of the wrapped target.
    public var attemptLimits: AttemptLimits? { target.attemptLimits }
    /// The `validation` of the wrapped target.
    public var validation: ValidationType { target.validation }
    /// The `contentDecoding` of the wrapped target.
    public var contentDecoding: ContentDecoding { target.contentDecoding }
    /// The `sampleResponse` of the wrapped target.
    public var sampleResponse: SampleResponse { target.sampleResponse }
    /// The `sampleData` of the wrapped target.
    public var sampleData: ArraySlice<UInt8> { target.sampleData }
}
