public import Networking

extension SampleResponse {
    /// Moya's name for a response with a status and a body.
    public static func networkResponse(_ statusCode: Int, _ body: some Sequence<UInt8>) -> SampleResponse {
        response(statusCode, body: body)
    }
}
