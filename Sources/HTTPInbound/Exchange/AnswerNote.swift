/// What logs and metrics say of an answer that a handler gives without an exchange.
public struct AnswerNote: Sendable {
    /// The endpoint's path template; nil if no endpoint takes the request.
    public var route: String?
    /// The code in the answer's body; nil if the status says all.
    public var code: String?
    /// The parts of the request that the answer complains of.
    public var refused: [String]
    /// Data of the handler, which it gets back when the answer has ended.
    public var details: (any AnyObject & Sendable)?

    /// Creates a note.
    public init(
        route: String? = nil, code: String? = nil, refused: [String] = [],
        details: (any AnyObject & Sendable)? = nil
    ) {
        self.route = route
        self.code = code
        self.refused = refused
        self.details = details
    }
}
