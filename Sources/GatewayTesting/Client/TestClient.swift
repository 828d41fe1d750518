public import HTTPModel
public import JSONBytes
import Networking
import Rx

/// Sends requests to a gateway under test, as an app would. Cancelling the task of a request means that the
/// client leaves.
public struct TestClient: Sendable {
    /// The gateway's URL: `http://127.0.0.1:43210`. In virtual time no server listens there.
    public let url: String
    private let backend: any TestBackend

    init(url: String, backend: any TestBackend) {
        self.url = url
        self.backend = backend
    }

    // MARK: - Methods

    /// Sends a GET request. `target` is path and query, percent-encoded.
    public func get(_ target: String, _ fields: HTTPFields = HTTPFields()) async throws -> TestResponse {
        try await send(.get, target, fields)
    }

    /// Sends a HEAD request.
    public func head(_ target: String, _ fields: HTTPFields = HTTPFields()) async throws -> TestResponse {
        try await send(.head, target, fields)
    }

    /// Sends a DELETE request.
    public func delete(_ target: String, _ fields: HTTPFields = HTTPFields()) async throws -> TestResponse {
        try await send(.delete, target, fields)
    }

    /// Sends a POST request with the body `json`.
    public func post(_ target: String, json: String, _ fields: HTTPFields = HTTPFields()) async throws
        -> TestResponse
    {
        try await send(.post, target, fields, json: json)
    }

    /// Sends a POST request with JSON written as a literal: `json: ["item": 12]`.
    @_disfavoredOverload
    public func post(_ target: String, json: JSONLiteral, _ fields: HTTPFields = HTTPFields()) async throws
        -> TestResponse
    {
        try await send(.post, target, fields, json: json.description)
    }

    /// Sends a PUT request with the body `json`.
    public func put(_ target: String, json: String, _ fields: HTTPFields = HTTPFields()) async throws
        -> TestResponse
    {
        try await send(.put, target, fields, json: json)
    }

    /// Sends a PUT request with JSON written as a literal.
    @_disfavoredOverload
    public func put(_ target: String, json: JSONLiteral, _ fields: HTTPFields = HTTPFields()) async throws
        -> TestResponse
    {
        try await send(.put, target, fields, json: json.description)
    }

    /// Sends a PATCH request with the body `json`.
    public func patch(_ target: String, json: String, _ fields: HTTPFields = HTTPFields()) async throws
        -> TestResponse
    {
        try await send(.patch, target, fields, json: json)
    }

    /// Sends a PATCH request with JSON written as a literal.
    @_disfavoredOverload
    public func patch(_ target: String, json: JSONLiteral, _ fields: HTTPFields = HTTPFields()) async throws
        -> TestResponse
    {
        try await send(.patch, target, fields, json: json.description)
    }

    // MARK: - Any request

    /// Sends a request. `target` is path and query, percent-encoded; `json` is the body, sent as
    /// `application/json` unless `fields` have a `Content-Type`.
    public func send(
        _ method: HTTPMethod, _ target: String, _ fields: HTTPFields = HTTPFields(), json: String? = nil
    ) async throws -> TestResponse {
        try await send(Self.request(method, target, fields, json))
    }

    /// Sends a request with a body of any bytes.
    public func send(
        _ method: HTTPMethod, _ target: String, _ fields: HTTPFields = HTTPFields(),
        body: some Sequence<UInt8>
    ) async throws -> TestResponse {
        try await send(
            TestRequest(method: method, target: target, fields: fields, body: Array(body)[...]))
    }

    /// Sends a request and leaves after `delay`, as an impatient client does. Returns nil if no answer had
    /// arrived by then.
    ///
    ///     let response = try await client.send(.get, "/api/weights", leavingAfter: .milliseconds(100))
    ///     #expect(response == nil)
    public func send(
        _ method: HTTPMethod, _ target: String, _ fields: HTTPFields = HTTPFields(), json: String? = nil,
        leavingAfter delay: Duration
    ) async throws -> TestResponse? {
        struct Left: Error {}
        do {
            return try await send(
                Self.request(method, target, fields, json),
                endedBy: { leave in
                    backend.wait(delay) { leave(Left()) }
                })
        } catch is Left {
            return nil
        }
    }

    /// Sends a request and returns when the head of the response arrives. The body is read piece by piece.
    ///
    ///     let response = try await client.stream(.get, "/api/export")
    ///     for try await piece in response.pieces { ... }
    ///
    /// In virtual time, a streamed answer arrives piece by piece as well, and any other at once.
    public func stream(
        _ method: HTTPMethod, _ target: String, _ fields: HTTPFields = HTTPFields(), json: String? = nil
    ) async throws -> TestStream {
        try Task.checkCancellation()
        let buffer = ResponseBuffer()
        let call = backend.stream(Self.request(method, target, fields, json), to: buffer)
        buffer.began { call.dispose() }
        return TestStream(try await buffer.head(), buffer)
    }

    /// Lets time pass: really on sockets, and at once in virtual time, in which all that is due happens.
    public func wait(_ duration: Duration) async throws {
        let mailbox = Mailbox<Result<Void, any Error>>()
        let timer = backend.wait(duration) { mailbox.put(.success(())) }
        try await withTaskCancellationHandler {
            try await mailbox.take().get()
        } onCancel: {
            timer.dispose()
            mailbox.put(.failure(CancellationError()))
        }
    }

    /// The gateway's clock in whole seconds since 1970, for tokens that expire during a test. In virtual time
    /// it begins in 2001 and moves with the test.
    ///
    ///     let fields = try tokens.bearer("ann", ["exp": JSONLiteral(client.unixTime + 60)])
    public var unixTime: Int { backend.unixTime }

    private static func request(
        _ method: HTTPMethod, _ target: String, _ fields: HTTPFields, _ json: String?
    ) -> TestRequest {
        var fields = fields
        if json != nil, !fields.contains(.contentType) { fields.append(.contentType, "application/json") }
        return TestRequest(
            method: method, target: target, fields: fields, body: json.map { Array($0.utf8)[...] } ?? [])
    }

    /// - Parameters:
    ///   - request: the request.
    ///   - watch: is given a closure that ends the request with an error.
    private func send(
        _ request: TestRequest,
        endedBy watch: ((@escaping @Sendable (any Error) -> Void) -> any Disposable)? = nil
    ) async throws -> TestResponse {
        try Task.checkCancellation()
        let mailbox = Mailbox<Result<TestResponse, any Error>>()
        let call = SingleAssignmentDisposable()
        let leave: @Sendable (any Error) -> Void = { error in
            call.dispose()
            mailbox.put(.failure(error))
        }
        let timer = watch?(leave)
        defer { timer?.dispose() }
        return try await withTaskCancellationHandler {
            call.setDisposable(backend.send(request) { mailbox.put($0) })
            return try await mailbox.take().get()
        } onCancel: {
            leave(CancellationError())
        }
    }
}
