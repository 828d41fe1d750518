public import HTTPModel

/// One part of a form: a field, or a file. Its body can be read once, before the next part.
public struct MultipartPart: Sendable {
    /// The name of the form's field. Browsers write a quote in it as `%22`, a line end as `%0D%0A`.
    public var name: String { head.name }
    /// The client's name for a file; nil for a plain field. It may be anything, so never use it as a path.
    public var filename: String? { head.filename }
    /// The part's own `Content-Type`; nil if it has none.
    public var contentType: MediaType? { head.contentType }
    /// All header fields of the part.
    public var fields: HTTPFields { head.fields }

    private let head: MultipartHead
    private let number: Int
    private let reader: MultipartReader

    init(_ head: MultipartHead, _ number: Int, _ reader: MultipartReader) {
        self.head = head
        self.number = number
        self.reader = reader
    }

    /// The body in pieces, as they arrive.
    public var body: MultipartPartBody { MultipartPartBody(reader, number) }

    /// Reads the body as text.
    ///
    /// - Throws: 413 if it exceeds `MultipartLimits.fieldValue`, 400 if it is not UTF-8, else what reading
    ///   the form throws.
    public func text() async throws -> String {
        guard let text = String(validating: try await bytes(limit: reader.limits.fieldValue), as: UTF8.self)
        else {
            throw GatewayError.invalidRequest("Form part \"\(name)\" must be UTF-8")
        }
        return text
    }

    /// Reads the whole body into memory.
    ///
    /// - Parameter limit: the most bytes that are read.
    /// - Throws: 413 if it is longer, 503 if the memory for bodies is full, else what reading the form
    ///   throws.
    public func bytes(limit: Int) async throws -> [UInt8] {
        var whole: [UInt8] = []
        for try await bytes in body {
            guard bytes.count <= limit - whole.count else {
                throw GatewayError(.payloadTooLarge, "Form part \"\(name)\" exceeds \(limit) bytes")
            }
            try reader.collect(bytes.count)
            whole += bytes
        }
        return whole
    }
}

/// The body of a part of a form, in pieces.
public struct MultipartPartBody: AsyncSequence, Sendable {
    /// A piece of bytes.
    public typealias Element = ArraySlice<UInt8>
    /// What reading may throw.
    public typealias Failure = any Error

    private let reader: MultipartReader
    private let number: Int

    init(_ reader: MultipartReader, _ number: Int) {
        self.reader = reader
        self.number = number
    }

    /// Returns an iterator. The bytes can be read once.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader, number) }

    /// Reads the pieces in order.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        private let reader: MultipartReader
        private let number: Int
        private var hasBegun = false

        init(_ reader: MultipartReader, _ number: Int) {
            self.reader = reader
            self.number = number
        }

        /// Returns the next piece, which is not empty; nil at the end.
        public mutating func next() async throws -> ArraySlice<UInt8>? {
            if !hasBegun { try reader.claim(number) }
            hasBegun = true
            return try await reader.nextBytes(of: number)
        }
    }
}
