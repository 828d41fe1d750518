public import HTTPModel
import Locking

/// What middleware and the handler leave in a request. A class, so that requests without it stay small.
final class RequestStorage {
    private var values: [(type: ObjectIdentifier, value: any Sendable)] = []
    /// Fields for the answer, whatever it is.
    var answerFields = HTTPFields()

    subscript(type: ObjectIdentifier) -> (any Sendable)? {
        get { values.first { $0.type == type }?.value }
        set {
            values.removeAll { $0.type == type }
            if let newValue { values.append((type, newValue)) }
        }
    }
}

extension GatewayRequest {
    /// A value of this type that middleware has put into the request; nil if there is none. A request has one value of a type.
    ///
    ///     gateway.before { request in request[Session.self] = try session(of: request) }
    ///     gateway.get("/api/me") { request in .json(try request.require(Session.self).user) }
    public subscript<Value: Sendable>(type: Value.Type) -> Value? {
        get { storage.withLock { $0?[ObjectIdentifier(type)] } as? Value }
        set { storage.withLock { $0.existing()[ObjectIdentifier(type)] = newValue } }
    }

    /// Returns the value of this type that middleware has put into the request. Without one, the middleware is missing: the
    /// answer is `500 INTERNAL`, and an incident.
    public func require<Value: Sendable>(_ type: Value.Type = Value.self) throws -> Value {
        guard let value = self[type] else {
            throw EndpointFault("no middleware has put a \(type) into the request")
        }
        return value
    }

    /// Adds a field to the answer, whether it succeeds or fails. Hop-by-hop fields and the gateway's own are ignored.
    public func addAnswerField(_ name: HTTPFieldName, _ value: String) {
        storage.withLock { $0.existing().answerFields.append(name, value) }
    }

    /// Nil for nearly all requests.
    var answerFields: HTTPFields? { storage.withLock { $0?.answerFields } }
}

extension Optional<RequestStorage> {
    /// Returns the storage, made if there is none.
    fileprivate mutating func existing() -> RequestStorage {
        if let self { return self }
        let storage = RequestStorage()
        self = storage
        return storage
    }
}
