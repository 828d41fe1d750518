import HTTPModel

/// Why a form cannot be read: a sentence for the client that names the part and the rule.
struct MultipartFault: Error, Hashable {
    var message: String
    /// Whether a limit of sizes or counts is exceeded (413). Anything else is malformed (400).
    var isTooLarge = false

    init(_ message: String, isTooLarge: Bool = false) {
        self.message = message
        self.isTooLarge = isTooLarge
    }

    var error: GatewayError { GatewayError(isTooLarge ? .payloadTooLarge : .invalidRequest, message) }
}

/// The boundary of a form's parts.
enum MultipartBoundary {
    /// Returns the boundary that the `Content-Type` of a request declares.
    static func of(_ fields: HTTPFields) throws(GatewayError) -> [UInt8] {
        guard let bytes = fields.firstValueBytes(.contentType) else {
            throw .unsupportedMediaType("Content-Type is missing; it must be multipart/form-data")
        }
        guard let type = MediaType(bytes: bytes), type.type == "multipart", type.subtype == "form-data" else {
            throw .unsupportedMediaType("Content-Type must be multipart/form-data")
        }
        let boundary = type.parameters.filter { $0.name == "boundary" }.map { Array($0.value.utf8) }
        guard boundary.count == 1, isValid(boundary[0]) else {
            throw .invalidRequest(
                "Content-Type must have one boundary of 1 to \(MultipartLimits.boundary) letters, digits and '()+_,-./:=?"
            )
        }
        return boundary[0]
    }

    /// RFC 2046 5.1.1: `bchars`, without a space at the end.
    private static func isValid(_ boundary: [UInt8]) -> Bool {
        (1...MultipartLimits.boundary).contains(boundary.count) && boundary.last != UInt8(ascii: " ")
            && boundary.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "'()+_,-./:=? ".utf8.contains(byte)
                }
            }
    }
}
