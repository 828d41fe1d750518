import ASCIIText
public import HTTPModel

/// A form of named parts, each of bytes, of a file or of a stream (RFC 7578), as `multipart/form-data`.
///
///     var form = MultipartFormData()
///     form.append("오늘", named: "note")
///     form.append(file: "/var/spool/lunch.jpg", named: "photo")
///     provider.rx.request(.upload(form))                      // task: .multipart(form)
///
/// Its length is known where all parts' are, and files are streamed from disk. Nothing is opened before the call is made.
public struct MultipartFormData: Sendable {
    /// One part.
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

        /// A field of the form.
        ///
        /// - Parameters:
        ///   - bytes: the part's content.
        ///   - name: the field's.
        ///   - fileName: what the part is called as a file; nil for a plain field.
        ///   - mimeType: nil: by the file name, and none for a plain field, which is text.
        ///   - headers: further fields of the part.
        public static func bytes(
            _ bytes: some Sequence<UInt8>, name: String, fileName: String? = nil, mimeType: String? = nil,
            headers: HTTPFields = HTTPFields()
        ) -> Part {
            Part(
                content: .bytes(ArraySlice(bytes)), name: name, fileName: fileName, mimeType: mimeType,
                headers: headers)
        }

        /// A text field of the form.
        public static func text(_ text: String, name: String) -> Part {
            bytes(text.utf8, name: name)
        }

        /// A file, called by the last part of its path unless said otherwise.
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

        /// A part that is read as it is sent. Where it does not know its length, neither does the form: it goes out chunked.
        public static func stream(
            _ source: any BodySource, name: String, fileName: String? = nil, mimeType: String? = nil,
            headers: HTTPFields = HTTPFields()
        ) -> Part {
            Part(
                content: .stream(source), name: name, fileName: fileName, mimeType: mimeType, headers: headers
            )
        }
    }

    /// In the order in which they are sent.
    public private(set) var parts: [Part]
    /// What parts the parts. Random unless it was given.
    public let boundary: String
    private let isRandom: Bool

    /// A form of these parts; one without any fails the call.
    ///
    /// - Parameters:
    ///   - parts: in the order in which they are sent.
    ///   - boundary: for tests: 1 to 70 characters of RFC 2046 5.1.1. Nil, as it should be: 32 random ones, drawn again
    ///     where they occur in a part. One that is malformed, or occurs in a part that is in memory, fails the call.
    public init(_ parts: [Part] = [], boundary: String? = nil) {
        self.parts = parts
        self.boundary = boundary ?? Self.randomBoundary()
        isRandom = boundary == nil
    }

    /// One more part, behind the others.
    public mutating func append(_ part: Part) {
        parts.append(part)
    }

    /// A text field.
    public mutating func append(_ text: String, named name: String) {
        parts.append(.text(text, name: name))
    }

    /// A part of bytes in memory; with a file name it is a file to the other side.
    public mutating func append(
        _ bytes: some Sequence<UInt8>, named name: String, fileName: String? = nil, mimeType: String? = nil
    ) {
        parts.append(.bytes(bytes, name: name, fileName: fileName, mimeType: mimeType))
    }

    /// A file, streamed from disk.
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

    /// The body and what it is.
    func encoded() throws(RequestFault) -> (body: RequestBody, contentType: String) {
        guard !parts.isEmpty else { throw RequestFault(.body, "the multipart form has no part") }
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

    /// Whether the boundary is one (RFC 2046 5.1.1) and occurs in no part whose bytes are here.
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
