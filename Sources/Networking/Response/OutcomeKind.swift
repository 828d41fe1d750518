/// The kinds of outcome of an upstream call, as named in `NetworkResult` and a gateway's responses.
public enum OutcomeKind: String, Sendable, Hashable, CaseIterable {
    /// 2xx with a body of the expected shape.
    case success
    /// 204, 205, or an empty body if the target allows one.
    case noContent
    /// 4xx: the upstream rejected the request.
    case requestErr
    /// An unusable response: not JSON, another shape, a 3xx, or a 206 without a range request.
    case pathErr
    /// 5xx, a status above 599, or a failing status in the envelope of a 2xx.
    case serverErr
    /// No complete HTTP response.
    case networkFail
}
