public import HTTPModel

/// What the state of a resource must be for a request to be carried out (RFC 9110 13.1): the fields
/// `If-Match` and `If-None-Match`, so that no change of another client is lost.
///
///     gateway.put("/notes/{id}") { request in
///         let conditions = try request.conditions()
///         let text = try request.json(as: String.self)
///         guard let note = notes.replace(text, if: { conditions.allowChange(of: $0?.tag) }) else {
///             throw GatewayError(.preconditionFailed, "The note has changed")
///         }
///         return .json(note.text).field(.eTag, "\(note.tag)")
///     }
public struct RequestConditions: Sendable, Hashable {
    private let match: EntityTagCondition?
    private let noneMatch: EntityTagCondition?

    /// Reads the conditions in the fields of a request, which hold for any state if absent.
    ///
    /// - Throws: 400 for `If-Match` or `If-None-Match` without an entity tag, which may be meant as a
    ///   condition.
    public init(_ fields: HTTPFields) throws(GatewayError) {
        match = EntityTagCondition(.ifMatch, in: fields)
        noneMatch = EntityTagCondition(.ifNoneMatch, in: fields)
        for (name, condition) in [(HTTPFieldName.ifMatch, match), (.ifNoneMatch, noneMatch)]
        where condition == .tags([]) {
            throw .invalidRequest("Field \"\(name)\" must be * or entity tags such as \"a1b2\"")
        }
    }

    /// Returns whether a resource with this entity tag may be changed; nil if the resource does not exist.
    public func allowChange(of tag: EntityTag?) -> Bool {
        match?.includes(tag, strongly: true) != false && noneMatch?.includes(tag, strongly: false) != true
    }
}

extension GatewayRequest {
    /// Reads the conditions of a change, as `RequestConditions` does.
    public func conditions() throws(GatewayError) -> RequestConditions { try RequestConditions(fields) }
}

extension Answer {
    /// Returns the answer with an entity tag, or 304 without a body if a client of a GET has that state
    /// already (`If-None-Match`).
    public func entityTag(_ tag: EntityTag, for request: GatewayRequest) -> Answer {
        let answer = field(.eTag, "\(tag)")
        guard request.method == .get,
            EntityTagCondition(.ifNoneMatch, in: request.fields)?.includes(tag, strongly: false) == true
        else { return answer }
        var known = Answer.status(.notModified)
        known.fields = answer.fields
        return known
    }
}
