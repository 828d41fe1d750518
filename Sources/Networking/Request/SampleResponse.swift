public import HTTPModel

/// The response of a target with stubbed calls (Moya's `EndpointSampleResponse`).
///
///     var sampleResponse: SampleResponse { .json(#"{"status":200,"data":[]}"#) }
///     var sampleResponse: SampleResponse { .networkError(.connectionRefused) }
public struct SampleResponse: Sendable {
    enum Content: Sendable {
        case response(TransportResponse)
        /// The connection is closed after these bytes of a body of the given length.
        case incomplete(TransportResponse, of: Int)
        case failure(TransportError)
    }

    let content: Content

    /// A response. A status outside 100 to 999 fails with `http_protocol_error`, as on the wire.
    public static func response(
        _ statusCode: Int, fields: HTTPFields = HTTPFields(), body: some Sequence<UInt8> = []
    ) -> SampleResponse {
        guard let status = HTTPStatus(received: statusCode) else {
            return failure(TransportError(.protocolError, "the status of the sample is invalid"))
        }
        return .response(TransportResponse(status: status, fields: fields, body: ArraySlice(body)))
    }

    /// A response with a JSON body. Default status 200.
    public static func json(_ text: String, status statusCode: Int = 200) -> SampleResponse {
        response(statusCode, fields: [.contentType: "application/json"], body: text.utf8)
    }

    /// A complete response.
    package static func response(_ response: TransportResponse) -> SampleResponse {
        SampleResponse(content: .response(response))
    }

    /// A response that ends before all `length` bytes of its body.
    package static func incomplete(_ response: TransportResponse, of length: Int) -> SampleResponse {
        SampleResponse(content: .incomplete(response, of: length))
    }

    /// A failure without a complete response.
    public static func networkError(_ reason: FailureReason) -> SampleResponse {
        failure(TransportError(reason, "sample failure"))
    }

    /// A failure without a complete response, from a transport's error.
    public static func failure(_ error: TransportError) -> SampleResponse {
        SampleResponse(content: .failure(error))
    }
}
