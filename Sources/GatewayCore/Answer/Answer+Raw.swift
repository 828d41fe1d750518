public import HTTPModel

/// The body of an answer without an envelope.
struct RawBody: Sendable {
    var bytes: ArraySlice<UInt8>
    /// Nil for an answer without content.
    var contentType: String?
    /// Why it cannot be sent; nil if it can.
    var fault: EndpointFault?
    /// Makes the body piece by piece, instead of `bytes`.
    var stream: StreamSource?

    static func fault(of contentType: String) -> EndpointFault? {
        MediaType(contentType) == nil ? EndpointFault("'\(contentType)' is not a media type") : nil
    }
}

/// Answers that are not JSON. Failures, also of parts and calls before them, keep the envelope.
extension Answer {
    /// An answer with these bytes as its body, whatever its status.
    ///
    /// - Parameters:
    ///   - bytes: the whole body.
    ///   - contentType: a media type (RFC 9110 8.3.1), `image/png`. Anything else is answered with 500 and is
    ///     an incident.
    public static func raw(_ bytes: ArraySlice<UInt8>, contentType: String) -> Answer {
        Answer(
            .raw(RawBody(bytes: bytes, contentType: contentType, fault: RawBody.fault(of: contentType))))
    }

    /// An answer with these bytes as its body, whatever its status.
    public static func raw(_ bytes: [UInt8], contentType: String) -> Answer {
        raw(bytes[...], contentType: contentType)
    }

    /// An answer of plain text, in UTF-8.
    public static func text(_ text: String) -> Answer {
        raw(Array(text.utf8), contentType: "text/plain; charset=utf-8")
    }

    /// A redirect without a body.
    ///
    /// - Parameters:
    ///   - location: a URL, or a reference such as `/products?page=2` (RFC 3986 4.1), percent-encoded.
    ///   - status: 301, 302, 303, 307 or 308. Default 302 (Found). Another one, and a location with other
    ///     bytes than visible ASCII, is answered with 500 and is an incident.
    public static func redirect(to location: String, status: HTTPStatus = .found) -> Answer {
        var body = RawBody(bytes: [])
        if ![301, 302, 303, 307, 308].contains(status.code) {
            body.fault = EndpointFault("\(status.code) is not the status of a redirect")
        } else if location.isEmpty || !location.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
            body.fault = EndpointFault("the location of a redirect is not percent-encoded: '\(location)'")
        }
        return Answer(.raw(body)).status(status).field(.location, location)
    }
}
