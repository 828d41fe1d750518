public import HTTPModel
public import Locking
import Networking
import Rx
public import Synchronization

/// A request as its handler sees it, with typed access to its parameters. A missing or invalid parameter
/// throws a `GatewayError.invalidRequest` that names it. Handlers let it propagate.
public final class GatewayRequest: Sendable {
    /// The request line and the fields as received.
    public var head: HTTPRequestHead { request.head }
    /// The whole body as it came, at most the endpoint's limit; `decodedBody()` is without content codings.
    /// Empty at an endpoint with `.streamsBody`: read `bodyStream`.
    public var body: ArraySlice<UInt8> { request.body }
    /// The answer's `X-Request-Id`.
    public let requestID: String

    /// The address and port of the peer, as `remote` in the access log: `192.0.2.1:4711`,
    /// `[2001:db8::1]:4711`. Behind a proxy it is the proxy's; `clientAddress` is the client's.
    public let remoteAddress: String

    /// The scheme of the request's URL, `http` or `https`: what a trusted proxy tells, else `https` if the
    /// server speaks TLS, else what `ClientSettings.scheme` says.
    public let scheme: String

    /// The client's certificate, which the TLS handshake has verified; nil if the client has shown none, or
    /// is not asked for one (`GatewayServerConfiguration.tls`).
    public let clientCertificate: ClientCertificate?

    /// The scheduler of the request's loop.
    let loopScheduler: any SchedulerType

    /// What trusted proxies tell about the client; nil if the peer is the client.
    let client: ForwardedClient?

    private let request: ReceivedRequest
    let match: EndpointMatch
    /// Whether the client sent HEAD, which arrives as GET.
    let isHead: Bool
    /// Nil for a buffered or missing body.
    let stream: BodyCursor?
    /// Nil if the body is small.
    let memory: (any RequestMemory)?
    /// Nil at an endpoint that everybody may call, without limits.
    let access: RequestAccess?
    @usableFromInline let storage = Lock<RequestStorage?>(nil)
    /// False for nearly all requests.
    @usableFromInline let hasStorage = Atomic(false)
    var endpoint: Endpoint { match.endpoint }
    var fields: HTTPFields { request.head.fields }

    /// `source` gives the body at an endpoint that streams it; without it, the request's own body is given in
    /// one piece.
    init(
        _ request: consuming ReceivedRequest, requestID: String, _ match: EndpointMatch, from remote: String,
        for client: ForwardedClient? = nil, _ certificate: ClientCertificate? = nil,
        scheme: String = "http", isHead: Bool, _ source: (any PieceSource)?,
        memory: (any RequestMemory)? = nil, access: RequestAccess? = nil,
        on scheduler: any SchedulerType
    ) {
        self.access = access
        remoteAddress = remote
        loopScheduler = scheduler
        self.client = client
        clientCertificate = certificate
        self.scheme = client?.scheme ?? scheme
        self.memory = memory
        self.isHead = isHead
        if match.streamsBody {
            if let source {
                stream = BodyCursor(source)
            } else {
                stream = request.body.isEmpty ? nil : BodyCursor(request.body, memory: memory)
                request.body = []
            }
        } else {
            stream = nil
        }
        self.request = consume request
        self.requestID = requestID
        self.match = match
    }

    /// The method.
    public var method: HTTPMethod { request.head.method }

    /// The path template of the endpoint, `/api/orders/{id}`; nil in middleware for a request that no
    /// endpoint takes.
    public var route: String? { match.route }

    /// Returns the first value of that field. Bytes that are not UTF-8 are replaced; `parameter(.field(...))`
    /// refuses them.
    public func header(_ name: HTTPFieldName) -> String? { fields[name] }
}

extension GatewayRequest {
    /// Reads the percent-decoded segment that matches `{name}`. An undeclared name is answered with
    /// `500 INTERNAL`.
    public func path<Value: RequestValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws -> Value {
        let name = ParameterName(.path, name)
        return try Self.read(name.pathText(in: self), as: type) { name.subject }
    }

    /// Returns the decoded segment that matches `{name}`; nil if the path has no such parameter.
    func pathText(of name: String) -> String? {
        guard let index = endpoint.parameterNames.firstIndex(of: name), index < match.parameters.count else {
            return nil
        }
        return String(decoding: match.parameters[index], as: UTF8.self)
    }

    /// Reads the query parameter of that name, which must occur once.
    @inlinable
    public func query<Value: RequestValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(GatewayError) -> Value {
        guard let value = try query(ifPresent: name, as: type) else {
            throw .missing(Self.querySubject(name), mustBe: type.rule)
        }
        return value
    }

    /// Reads the query parameter of that name. Returns `defaultValue` if it is absent.
    @inlinable
    public func query<Value: RequestValue>(
        _ name: String, as type: Value.Type = Value.self, default defaultValue: Value
    ) throws(GatewayError) -> Value {
        try query(ifPresent: name, as: type) ?? defaultValue
    }

    /// Reads the query parameter of that name. Returns `nil` if it is absent; throws if it occurs more than
    /// once.
    @inlinable
    public func query<Value: RequestValue>(
        ifPresent name: String, as type: Value.Type = Value.self
    ) throws(GatewayError) -> Value? {
        guard let text = try onlyText(of: name) else { return nil }
        return try Self.read(text, as: type) { Self.querySubject(name) }
    }

    /// Not available: `query(_:as:)` reads a parameter as the type that it must have.
    @available(
        *, unavailable, message: "call it: try request.query(\"page\", as: Int.self), or query(ifPresent:as:)"
    )
    public var query: [String: String] { [:] }

    /// Reads all query parameters of that name, in order.
    public func queryAll<Value: RequestValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(GatewayError) -> [Value] {
        var result: [Value] = []
        for text in try texts(of: name) {
            result.append(try Self.read(text, as: type) { Self.querySubject(name) })
        }
        return result
    }

    /// Returns the text of the only query parameter of that name; `nil` if it is absent.
    @usableFromInline
    func onlyText(of name: String) throws(GatewayError) -> String? {
        guard let query = request.head.target.queryBytes else { return nil }
        if let text = PlainQuery.onlyValue(of: name, in: query) { return text }
        let values = try texts(of: name)
        guard values.count < 2 else { throw .repeated(Self.querySubject(name), values.count) }
        return values.first
    }

    func texts(of name: String) throws(GatewayError) -> [String] {
        do {
            return try QueryItems(request.head.target.queryBytes).values(of: name)
        } catch {
            throw .invalidRequest("\(Self.querySubject(name)) cannot be read: \(error)")
        }
    }

    @usableFromInline
    static func querySubject(_ name: String) -> String { ParameterPlace.query.subject(name) }

    @inlinable
    static func read<Value: RequestValue>(
        _ text: String, as type: Value.Type, _ subject: () -> String
    ) throws(GatewayError) -> Value {
        guard let value = Value(requestText: text) else {
            throw .invalid(subject(), mustBe: type.rule)
        }
        return value
    }

    static func read<Value: RequestValue & Comparable>(
        _ text: String, in range: ClosedRange<Value>, _ subject: () -> String
    ) throws(GatewayError) -> Value {
        guard let value = Value(requestText: text), range.contains(value) else {
            throw .invalid(subject(), mustBe: range.requestRule)
        }
        return value
    }
}

/// A programming error in an endpoint, found at run time: an incident, and `500 INTERNAL` for the client.
@usableFromInline
struct EndpointFault: Error, CustomStringConvertible {
    @usableFromInline let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The fault of a declaration after the responder was made.
    static func late(_ name: String) -> EndpointFault {
        EndpointFault(
            "\(name) is declared too late, as in a handler, and does nothing; "
                + "declare it next to the endpoints")
    }
}
