import ASCIIText
import HTTPModel

/// The head of a part of a form.
struct MultipartHead: Sendable {
    var name: String
    var filename: String?
    var contentType: MediaType?
    var fields: HTTPFields

    /// Parses the lines of a head, each with its CRLF, without the empty line that ends it. `number` counts
    /// the parts from 1.
    init(_ lines: ArraySlice<UInt8>, number: Int, _ limits: MultipartLimits) throws(MultipartFault) {
        let subject = "Part \(number) of the form"
        fields = try Self.fields(lines, subject, limits)
        guard let disposition = try Self.only("Content-Disposition", in: fields, subject) else {
            throw MultipartFault("\(subject) has no Content-Disposition")
        }
        var scanner = DispositionScanner(disposition)
        do {
            (name, filename) = try scanner.formData()
        } catch {
            throw MultipartFault("\(subject) has an invalid Content-Disposition: \(error.rule)")
        }
        contentType = try Self.only(.contentType, in: fields, subject).map { bytes throws(MultipartFault) in
            guard let type = MediaType(bytes: bytes) else {
                throw MultipartFault("\(subject) has an invalid Content-Type")
            }
            return type
        }
        // RFC 7578 4.7 deprecates the field, and nobody decodes what it names.
        if let encoding = try Self.only("Content-Transfer-Encoding", in: fields, subject) {
            let name = String(decoding: encoding, as: UTF8.self).lowercased()
            guard ["binary", "8bit", "7bit"].contains(name) else {
                throw MultipartFault("\(subject) has a Content-Transfer-Encoding, which is not supported")
            }
        }
    }

    private static func only(
        _ name: HTTPFieldName, in fields: HTTPFields, _ subject: String
    ) throws(MultipartFault) -> ArraySlice<UInt8>? {
        let values = fields.valueBytes(of: name)
        guard values.count < 2 else {
            let name = name.withBytes { String(decoding: $0, as: UTF8.self) }
            throw MultipartFault("\(subject) has the field \(name) twice")
        }
        return values.first
    }

    private static func fields(
        _ lines: ArraySlice<UInt8>, _ subject: String, _ limits: MultipartLimits
    ) throws(MultipartFault) -> HTTPFields {
        var fields = HTTPFields()
        var rest = lines
        while !rest.isEmpty {
            guard fields.count < limits.headFields else {
                throw MultipartFault("\(subject) has more than \(limits.headFields) header fields")
            }
            let end = rest.firstIndex(of: Byte.carriageReturn) ?? rest.endIndex
            let line = rest[rest.startIndex..<end]
            rest = rest[end...].dropFirst()
            // A name has neither blanks nor control characters, so this refuses folded lines too.
            guard rest.popFirst() == Byte.lineFeed, let colon = line.firstIndex(of: Byte.colon),
                let name = HTTPFieldName(String(decoding: line[line.startIndex..<colon], as: UTF8.self)),
                line[(colon + 1)...].allSatisfy(ASCII.isFieldByte)
            else { throw MultipartFault("\(subject) has an invalid header field") }
            fields.append(name, bytes: line[(colon + 1)...])
        }
        return fields
    }
}
