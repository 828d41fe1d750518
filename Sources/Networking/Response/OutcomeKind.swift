/// What became of an upstream call: the vocabulary of the wire contract and of `NetworkResult`.
public enum OutcomeKind: String, Sendable, Hashable, CaseIterable {
    /// 2xx with a body of the expected shape.
    case success
    /// 204, 205, or nothing in the body where nothing is an answer.
    case noContent
    /// 4xx: the upstream found fault with the request.
    case requestErr
    /// An answer that is none: not JSON, another shape, 3xx, an unasked 206.
    case pathErr
    /// 5xx, or a failing status within the envelope of a 2xx.
    case serverErr
    /// No whole HTTP answer.
    case networkFail
}
