import ASCIIText
@_spi(Reading) import JSONBytes

extension ValueDecoder {
    func context(_ description: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath, debugDescription: description)
    }

    /// Returns the error for null or a value of the wrong kind.
    @inline(never)
    func mismatch(_ type: any Any.Type) -> DecodingError {
        guard !isNull else {
            return .valueNotFound(
                type, context("Cannot get value of type \(type) -- found null value instead"))
        }
        return .typeMismatch(type, context("Expected to decode \(type) but found \(kind) instead."))
    }

    @inline(never)
    func corrupted(_ description: String) -> DecodingError { .dataCorrupted(context(description)) }

    private var kind: String {
        switch firstByte {
        case Byte.openBrace: "a dictionary"
        case Byte.openBracket: "an array"
        case Byte.quote: "a string"
        case Byte.t, Byte.f: "bool"
        default: "number"
        }
    }
}
