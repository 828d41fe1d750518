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

    public var baseURL: String { target.baseURL }
    public var path: RequestPath { target.path }
    public var method: HTTPMethod { target.method }
    public var headers: HTTPFields { target.headers }
    public var task: RequestTask { target.task }
    public var envelope: ResponseEnvelope { target.envelope }
    public var allowsEmptyBody: Bool { target.allowsEmptyBody }
    public var timeout: Duration? { target.timeout }
    public var attemptLimits: AttemptLimits? { target.attemptLimits }
    public var validation: ValidationType { target.validation }
    public var contentDecoding: ContentDecoding { target.contentDecoding }
    public var sampleResponse: SampleResponse { target.sampleResponse }
    public var sampleData: ArraySlice<UInt8> { target.sampleData }
}
