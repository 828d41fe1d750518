public import HTTPModel
public import Networking
public import NetworkingSession

/// Moya's module as a namespace, for code that writes `Moya.Method` or `Moya.Response`.
public enum Moya {
    /// Moya's name for `HTTPMethod`.
    public typealias Method = HTTPMethod
    /// Moya's name for `RequestTask`. Without `Moya.`, `Task` is Swift's.
    public typealias Task = RequestTask
    /// `TargetType`.
    public typealias TargetType = Networking.TargetType
    /// `MultiTarget`.
    public typealias MultiTarget = NetworkingCompatibility.MultiTarget
    /// `PluginType`.
    public typealias PluginType = Networking.PluginType
    /// `Response`.
    public typealias Response = Networking.Response
    /// `ProgressResponse`.
    public typealias ProgressResponse = Networking.ProgressResponse
    /// `MultipartFormData`.
    public typealias MultipartFormData = Networking.MultipartFormData
    /// `ValidationType`.
    public typealias ValidationType = Networking.ValidationType
    /// `StubBehavior`.
    public typealias StubBehavior = Networking.StubBehavior
    /// `ParameterEncoding`.
    public typealias ParameterEncoding = Networking.ParameterEncoding
    /// `Session`.
    public typealias Session = NetworkingSession.Session
    /// `MoyaError`.
    public typealias MoyaError = NetworkingCompatibility.MoyaError
}
