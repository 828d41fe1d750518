import ASCIIText
import HTTPModel

/// A multipart form on the wire: segments in memory and streamed segments.
struct MultipartBody: FileBasedBody {
    enum Segment: Sendable {
        case bytes([UInt8])
        case source(any BodySource)
    }

    private let segments: [Segment]
    let length: Int64?

    init(_ parts: [MultipartFormData.Part], boundary: String) throws(RequestFault) {
        var segments: [Segment] = []
        var text: [UInt8] = []
        for part in parts {
            text += "--\(boundary)\r\n".utf8
            text += try MultipartBody.head(of: part)
            switch part.content {
            case .bytes(let bytes):
                text += bytes
            case .file(let path):
                segments.append(.bytes(text))
                segments.append(.source(try MultipartBody.file(path)))
                text = []
            case .stream(let source):
                segments.append(.bytes(text))
                segments.append(.source(source))
                text = []
            }
            text += "\r\n".utf8
        }
        text += "--\(boundary)--\r\n".utf8
        segments.append(.bytes(text))
        self.segments = segments
        length = segments.reduce(0) { (sum: Int64?, segment) in
            guard let sum else { return nil }
            let next: Int64? =
                switch segment {
                case .bytes(let bytes): Int64(bytes.count)
                case .source(let source): source.knownLength
                }
            guard let (total, overflow) = next.map({ sum.addingReportingOverflow($0) }) else { return nil }
            // The lengths of sparse files may overflow the sum. The body is then sent chunked.
            return overflow ? nil : total
        }
    }

    /// The body's bytes; nil if a part is streamed.
    var inMemory: ArraySlice<UInt8>? {
        guard segments.count == 1, case .bytes(let bytes) = segments[0] else { return nil }
        return bytes[...]
    }

    func open() -> any BodyReader { MultipartReader(segments) }

    var isPipe: Bool {
        segments.contains { segment in
            if case .source(let source as any FileBasedBody) = segment { source.isPipe } else { false }
        }
    }

    var isStored: Bool {
        segments.allSatisfy { segment in
            switch segment {
            case .bytes: true
            case .source(let source): (source as? any FileBasedBody)?.isStored ?? false
            }
        }
    }

    private static func file(_ path: String) throws(RequestFault) -> FileBody {
        do {
            return try FileBody(path: path)
        } catch {
            throw RequestFault(.body, "a file of the multipart form cannot be read", underlying: error)
        }
    }

    /// Returns a part's header fields and the empty line after them.
    private static func head(of part: MultipartFormData.Part) throws(RequestFault) -> [UInt8] {
        var disposition = "form-data; name=\"\(escaped(part.name))\""
        if let fileName = part.fileName { disposition += "; filename=\"\(escaped(fileName))\"" }
        var head = Array("Content-Disposition: \(disposition)\r\n".utf8)
        let type = part.mimeType ?? part.fileName.map(MediaType.text(ofFile:))
        if let type {
            guard !type.utf8.contains(where: ASCII.isControl) else {
                throw RequestFault(.body, "the media type of a part has a control byte")
            }
            head += "Content-Type: \(type)\r\n".utf8
        }
        for (text, value) in part.headers {
            guard let name = HTTPFieldName(text), value.utf8.allSatisfy(ASCII.isFieldByte) else {
                throw RequestFault(.body, "a header of a part is invalid")
            }
            head += "\(name): \(value)\r\n".utf8
        }
        return head + "\r\n".utf8
    }

    // As browsers do (WHATWG HTML 4.10.21.8, to which RFC 7578 4.2 defers): UTF-8 stays unchanged, and quotes
    // and control characters are percent-encoded. A backslash is not an escape there and stays.
    private static func escaped(_ name: String) -> String {
        var escaped: [UInt8] = []
        for byte in name.utf8 {
            if byte == UInt8(ascii: "\"") || ASCII.isControl(byte) {
                escaped += [UInt8(ascii: "%"), ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 15)]
            } else {
                escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

/// The error of a stream that differs from its announced length.
struct AnnouncedLengthError: Error, Sendable, CustomStringConvertible {
    let description = "a part does not have the length that it announced"
}

/// Reads the segments in order and opens each source when it is reached.
private final class MultipartReader: BodyReader {
    private var rest: ArraySlice<MultipartBody.Segment>
    private var bytes: ArraySlice<UInt8> = []
    private var reader: (any BodyReader)?
    /// Bytes still to read, if the source announced a length.
    private var left: Int64?

    init(_ segments: [MultipartBody.Segment]) {
        rest = segments[...]
    }

    func read(atMost count: Int) throws -> ArraySlice<UInt8> {
        while true {
            if !bytes.isEmpty {
                let piece = bytes.prefix(count)
                bytes = bytes.dropFirst(piece.count)
                return piece
            }
            if let reader {
                let piece = try reader.read(atMost: count)
                if !piece.isEmpty {
                    try account(for: piece.count)
                    return piece
                }
                if let left, left > 0 { throw AnnouncedLengthError() }
                self.reader = nil
            }
            guard let next = rest.popFirst() else { return [] }
            switch next {
            case .bytes(let text):
                bytes = text[...]
            case .source(let source):
                left = source.knownLength
                reader = try source.open()
            }
        }
    }

    private func account(for count: Int) throws {
        guard let left else { return }
        guard count <= left else { throw AnnouncedLengthError() }
        self.left = left - Int64(count)
    }
}
