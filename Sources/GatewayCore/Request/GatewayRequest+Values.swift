public import HTTPModel
public import Locking
public import Synchronization

/// Values by their types.
@usableFromInline
struct TypedValues: Sendable {
    @usableFromInline
    final class Box<Value: Sendable>: Sendable {
        @usableFromInline let value: Value

        @usableFromInline
        init(_ value: Value) { self.value = value }
    }

    /// Each box is a `Box` of the type beside it.
    @usableFromInline var boxes: [(type: ObjectIdentifier, box: any AnyObject & Sendable)] = []

    @usableFromInline
    init() {}

    // Inlinable, so that the compiler knows the type: looking it up would take as long as the rest of a
    // check.
    @inlinable
    func value<Value: Sendable>(of type: Value.Type) -> Value? {
        let key = ObjectIdentifier(type)
        for index in boxes.indices where boxes[index].type == key {
            return (boxes[index].box as? Box<Value>)?.value
        }
        return nil
    }

    @inlinable
    mutating func set<Value: Sendable>(_ value: Value?) {
        let key = ObjectIdentifier(Value.self)
        if let index = boxes.firstIndex(where: { $0.type == key }) { boxes.remove(at: index) }
        if let value { boxes.append((key, Box(value))) }
    }
}

/// What middleware and the handler leave in a request. A class, so that requests without it stay small.
@usableFromInline
final class RequestStorage {
    @usableFromInline var values = TypedValues()
    /// Fields for the answer, whatever it is.
    private(set) var answerFields = HTTPFields()
    /// Why the answer cannot have the fields that it was given; nil if it can.
    private(set) var fieldFault: EndpointFault?

    @usableFromInline
    init() {}

    /// Ignores the gateway's own fields.
    func addAnswerField(_ name: HTTPFieldName, _ value: String) {
        guard Renderer.canSend(value) else {
            fieldFault = .unsendable("\(name)")
            return
        }
        if !Renderer.isGatewayField(name) { answerFields.append(name, value) }
    }
}

extension GatewayRequest {
    /// A value of this type that middleware has put into the request, if any. A request has one value of a
    /// type. An observer finds it in the request's summary.
    ///
    ///     gateway.before { request in request[Session.self] = try session(of: request) }
    ///     gateway.get("/api/me") { request in .json(try request.require(Session.self).user) }
    @inlinable
    public subscript<Value: Sendable>(type: Value.Type) -> Value? {
        get { storage.withLock { $0?.values.value(of: type) } }
        set {
            storage.withLock { $0.existing().values.set(newValue) }
            hasStorage.store(true, ordering: .releasing)
        }
    }

    /// Returns the value of this type that middleware has put into the request. Without one, the middleware
    /// is missing: the answer is `500 INTERNAL`, and an incident.
    @inlinable
    public func require<Value: Sendable>(_ type: Value.Type = Value.self) throws -> Value {
        guard let value = self[type] else {
            throw EndpointFault.missing(type)
        }
        return value
    }

    /// Adds a field to the answer, whether it succeeds or fails. Hop-by-hop fields and the gateway's own are
    /// ignored. So is a field that an answer has once, like `Cache-Control` or `Location`, if the endpoint or
    /// a failure sets it. A value with a line break or another control character is left out of failures, and
    /// any other answer becomes `500 INTERNAL` and an incident.
    public func addAnswerField(_ name: HTTPFieldName, _ value: String) {
        storage.withLock { $0.existing().addAnswerField(name, value) }
        hasStorage.store(true, ordering: .releasing)
    }

    var answerFieldFault: EndpointFault? {
        hasStorage.load(ordering: .acquiring) ? storage.withLock { $0?.fieldFault } : nil
    }

    /// Nil for nearly all requests.
    var values: TypedValues? {
        hasStorage.load(ordering: .acquiring) ? storage.withLock { $0?.values } : nil
    }

    /// Nil for nearly all requests.
    var answerFields: HTTPFields? {
        hasStorage.load(ordering: .acquiring) ? storage.withLock { $0?.answerFields } : nil
    }
}

extension Optional<RequestStorage> {
    /// Returns the storage, and makes it if needed.
    @inlinable
    mutating func existing() -> RequestStorage {
        if let self { return self }
        let storage = RequestStorage()
        self = storage
        return storage
    }
}

extension EndpointFault {
    static func unsendable(_ field: String) -> EndpointFault {
        EndpointFault("the value of the field \(field) has a control character")
    }

    /// Of a handler whose stream has no answer, or that awaits the value of a stream without one.
    static var noAnswer: EndpointFault {
        EndpointFault("the stream of the handler completed without a value, which is not an answer")
    }

    /// Of a part that asks no upstream.
    static var emptyPart: EndpointFault {
        EndpointFault("the stream of the part completed without a value, and no upstream was called")
    }

    @usableFromInline
    static func missing(_ type: Any.Type) -> EndpointFault {
        EndpointFault("no middleware has put a \(type) into the request")
    }
}
