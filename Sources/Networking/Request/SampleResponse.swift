public import HTTPModel

/// What a target is answered with where its provider stubs calls (Moya's `EndpointSampleResponse`).
///
///     var sampleResponse: SampleResponse { .json(#"{"status":200,"data":[]}"#) }
///     var sampleResponse: SampleResponse { .networkError(.connectionRefused) }
public struct SampleResponse: Sendable {
    enum Content: Sendable {
        case response(TransportResponse)
        case failure(TransportError)
    }

    let content: Content

    /// A response. A status that is none (100 to 599 are) is what it would be on the wire: `http_protocol_error`.
    public static func response(
        _ statusCode: Int, fields: HTTPFields = HTTPFields(), body: some Sequence<UInt8> = []
    ) -> SampleResponse {
        guard let status = HTTPStatus(code: statusCode) else {
            return failure(TransportError(.protocolError, "the sample has no valid status"))
        }
        return SampleResponse(
            content: .response(TransportResponse(status: status, fields: fields, body: ArraySlice(body))))
    }

    /// A JSON body. Default status 200.
    public static func json(_ text: String, status statusCode: Int = 200) -> SampleResponse {
        response(statusCode, fields: [.contentType: "application/json"], body: text.utf8)
    }

    /// No whole answer.
    public static func networkError(_ reason: FailureReason) -> SampleResponse {
        failure(TransportError(reason, "as the sample says"))
    }

    /// No whole answer, in the words of a transport.
    public static func failure(_ error: TransportError) -> SampleResponse {
        SampleResponse(content: .failure(error))
    }
}
