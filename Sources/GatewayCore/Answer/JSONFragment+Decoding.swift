public import JSONBytes
import JSONCoding

extension JSONFragment {
    /// Decodes the value at a place of the fragment: `try product.decode(String.self, at: "/sellerId")`.
    ///
    /// - Parameters:
    ///   - type: what to decode.
    ///   - pointer: the place; by default the whole fragment.
    /// - Throws: `JSONShapeError`. A part or answer that lets it propagate fails with `missing_data` if
    ///   nothing is at the place, and with `decode_error` if the value there has another shape.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, at pointer: JSONPointer = .root
    ) throws(JSONShapeError) -> Value {
        let value = try pick(pointer)
        do {
            return try JSONBytesDecoder().decode(type, from: value)
        } catch {
            throw JSONShapeError(
                reason: .unexpectedKind, description: "the data does not match the expected model")
        }
    }
}
