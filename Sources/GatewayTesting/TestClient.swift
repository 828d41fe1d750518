import EventIO
public import HTTPModel
import HTTPOutbound
public import JSONBytes
import Locking
import Rx

/// Sends requests to a gateway under test over HTTP, as an app would.
public struct TestClient: Sendable {
    /// The gateway's URL: `http://127.0.0.1:43210`.
    public let url: String
    private let gateway: OriginClient

    init(url: String, gateway: OriginClient) {
        self.url = url
        self.gateway = gateway
    }

    /// Sends a GET request. `target` is path and query, percent-encoded.
    public func get(_ target: String, _ fields: HTTPFields = HTTPFields()) async throws -> TestResponse {
        try await send(.get, target, fields)
    }

    /// Sends a PUT request with the body `json`.
    public func put(_ target: String, json: String, _ fields: HTTPFields = HTTPFields()) async throws
        -> TestResponse
    {
        try await send(.put, target, fields, json: json)
    }

    /// Sends a POST request with the body `json`.
    public func post(_ target: String, json: String, _ fields: HTTPFields = HTTPFields()) async throws
        -> TestResponse
    {
        try await send(.post, target, fields, json: json)
    }

    /// Sends a DELETE request.
    public func delete(_ target: String, _ fields: HTTPFields = HTTPFields()) async throws -> TestResponse {
        try await send(.delete, target, fields)
    }

    /// Sends a request. `target` is path and query, percent-encoded; `json` is the body, sent as `application/json`.
    public func send(
        _ method: HTTPMethod, _ target: String, _ fields: HTTPFields = HTTPFields(), json: String? = nil
    ) async throws -> TestResponse {
        var fields = fields
        if json != nil { fields.append(.contentType, "application/json") }
        let request = OutboundRequest(method: method, target: target, fields: fields, body: json ?? "")
        let call = gateway.send(request)
        let happensBefore = HappensBeforeEdge()
        let response = try await withCheckedThrowingContinuation { continuation in
            _ = call.subscribe {
                happensBefore.release()
                continuation.resume(with: $0)
            }
        }
        happensBefore.acquire()
        return TestResponse(status: response.head.status, fields: response.head.fields, body: response.body)
    }
}

/// A whole response of the gateway under test.
public struct TestResponse: Sendable {
    public let status: HTTPStatus
    public let fields: HTTPFields
    public let body: ArraySlice<UInt8>

    /// The body as UTF-8.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON; throws if it is not JSON.
    public var json: JSONFragment {
        get throws { try JSONFragment(validating: body) }
    }
}
