import GatewayCore
import HTTPInbound
import HTTPModel
import JSONBytes
import Networking

/// Makes the answers of the admin listener. Errors have the gateway's envelope, without CORS.
struct AdminRenderer: Sendable {
    private let responder: GatewayResponder

    init(_ name: GatewayName) throws {
        responder = try Gateway(GatewayEnvironment(transport: UnsentTransport(), name: name)).responder()
    }

    func answer(_ error: GatewayError, to fields: HTTPFields?) -> HTTPResponse {
        var response = responder.render(error, fields: fields).response
        response.fields[.cacheControl] = "no-store"
        return response
    }

    /// Renders a request that the server refused.
    func answer(_ error: InboundError) -> HTTPResponse {
        answer(GatewayError(error), to: error.head?.fields)
    }

    static func answer(_ status: HTTPStatus = .ok, _ body: JSONLiteral) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: [
                .contentType: "application/json; charset=utf-8", .xContentTypeOptions: "nosniff",
                .cacheControl: "no-store",
            ],
            body: [body.fragment.bytes])
    }
}
