import ASCIIText
public import HTTPModel

/// A form of named parts (`multipart/form-data`, RFC 7578). Each part is bytes, a file or a stream.
///
///     var form = MultipartFormData()
///     form.append("오늘", named: "note")
///     form.append(file: "/var/spool/lunch.jpg", named: "photo")
///     provider.rx.request(.upload(form))                      // task: .multipart(form)
///
/// If all parts have a known length, so has the form. Files are streamed from disk, and opened when the call
/// is made.
public struct MultipartFormData: Sendable {
    /// One part of a form.
    public struct Part: Sendable {
        enum Content: Sendable {
            case bytes(ArraySlice<UInt8>)
            case file(path: String)
            case stream(any BodySource)
        }

        let content: Content
        let name: String
        let fileName: String?
        let mimeType: String?
        let headers: HTTPFields

        /// A part with bytes in memory.
        ///
        /// - Parameters:
        ///   - bytes: the content of the part.
        ///   - name: the name of the field.
        ///   - fileName: the file name of the part; nil for a plain field.
        ///   - mimeType: the media type. Default nil: derived from the file name; none for a plain field,
        ///     i.e. text.
        ///   - headers: further header fields of the part.
        public static func bytes(
            _ bytes: some Sequence<UInt8>, name: String, fileName: String? = nil, mimeType: String? = nil,
            headers: HTTPFields = HTTPFields()
        ) -> Part {
            Part(
                content: .bytes(ArraySlice(bytes)), name: name, fileName: fileName, mimeType: mimeType,
                headers: headers)
        }

        /// A text field.
        public static func text(_ text: String, name: String) -> Part {
            bytes(text.utf8, name: name)
        }

        /// A file. Its file name defaults to the last component of the path.
        public static func file(
            _ path: String, name: String, fileName: String? = nil, mimeType: String? = nil,
            headers: HTTPFields = HTTPFields()
        ) -> Part {
            let fileName =
                fileName
                ?? String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
            return Part(
                content: .file(path: path), name: name, fileName: fileName, mimeType: mimeType,
                headers: headers)
        }

        /// A part that is read while it is sent. If its length is unknown, the form is sent chunked.
        public static func stream(
            _ source: any BodySource, name: String, fileName: String? = nil, mimeType: String? = nil,
            headers: HTTPFields = HTTPFields()
        ) -> Part {
            Part(
                content: .stream(source), name: name, fileName: fileName, mimeType: mimeType, headers: headers
            )
        }
    }

    /// The parts in the order of sending.
    public private(set) var parts: [Part]
    /// The boundary between the parts. Random unless given.
    public let boundary: String
    private let isRandom: Bool

    /// Creates a form. A form without parts fails the call.
    ///
    /// - Parameters:
    ///   - parts: the parts in the order of sending.
    ///   - boundary: for tests, 1 to 70 characters (RFC 2046 5.1.1). If it is malformed or occurs in a part
    ///     in memory, the call fails. Default nil: 32 random characters, redrawn if they occur in a part.
    public init(_ parts: [Part] = [], boundary: String? = nil) {
        self.parts = parts
        self.boundary = boundary ?? Self.randomBoundary()
        isRandom = boundary == nil
    }

    /// Appends a part.
    public mutating func append(_ part: Part) {
        parts.append(part)
    }

    /// Appends a text field.
    public mutating func append(_ text: String, named name: String) {
        parts.append(.text(text, name: name))
    }

    /// Appends a part with bytes in memory. With a file name, the server treats it as a file.
    public mutating func append(
        _ bytes: some Sequence<UInt8>, named name: String, fileName: String? = nil, mimeType: String? = nil
    ) {
        parts.append(.bytes(bytes, name: name, fileName: fileName, mimeType: mimeType))
    }

    /// Appends a file to be streamed from disk.
    public mutating func append(
        file path: String, named name: String, fileName: String? = nil, mimeType: String? = nil
    ) {
        parts.append(.file(path, name: name, fileName: fileName, mimeType: mimeType))
    }

    private static func randomBoundary() -> String {
        let letters = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        let random = (0..<32).map { _ in letters[Int.random(in: 0..<letters.count)] }
        return "sluice-" + String(decoding: random, as: UTF8.self)
    }

    func encoded() throws(RequestFault) -> (body: RequestBody, contentType: String) {
        guard !parts.isEmpty else { throw RequestFault(.body, "the multipart form has no parts") }
        var boundary = boundary
        while !isFree(boundary) {
            guard isRandom else {
                throw RequestFault(
                    .body, "the boundary of the multipart form is malformed or occurs in a part")
            }
            boundary = Self.randomBoundary()
        }
        let body = try MultipartBody(parts, boundary: boundary)
        let type = MediaType(
            type: "multipart", subtype: "form-data", parameters: [.init(name: "boundary", value: boundary)])
        return (body.inMemory.map { .bytes($0) } ?? .stream(body), type.description)
    }

    /// Whether the boundary is well-formed (RFC 2046 5.1.1) and absent from the parts in memory.
    private func isFree(_ boundary: String) -> Bool {
        let bytes = Array(boundary.utf8)
        guard (1...70).contains(bytes.count), bytes.last != UInt8(ascii: " "),
            bytes.allSatisfy({ ASCII.isTokenByte($0) || "(),/:=? ".utf8.contains($0) })
        else { return false }
        let delimiter = Array("--".utf8) + bytes
        return !parts.contains { part in
            guard case .bytes(let content) = part.content else { return false }
            return content.withUnsafeBytes { content in
                guard content.count >= delimiter.count else { return false }
                return (0...content.count - delimiter.count).contains { start in
                    content[start] == delimiter[0] && content[start...].starts(with: delimiter)
                }
            }
        }
    }
}
