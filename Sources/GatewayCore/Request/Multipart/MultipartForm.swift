extension GatewayRequest {
    /// Reads the body as a form of type `multipart/form-data`, part by part, as it arrives.
    ///
    ///     gateway.post("/photos", .streamsBody, .bodyLimit(20 << 20)) { request in
    ///         var title = ""
    ///         for try await part in request.multipart() {
    ///             switch part.name {
    ///             case "title": title = try await part.text()
    ///             case "photo": try await part.save(inFolder: "/var/lib/photos")
    ///             default: break
    ///             }
    ///         }
    ///         return .json(["title": title])
    ///     }
    ///
    /// A part that is not read is skipped. Works at an endpoint with `.streamsBody`, and at others with their
    /// buffered body.
    ///
    /// Reading throws a `GatewayError`: 415 for another `Content-Type`; 400 for a malformed form, with the
    /// part and the rule; 413 beyond a limit; and what reading `bodyStream` throws.
    public func multipart(_ limits: MultipartLimits = MultipartLimits()) -> MultipartForm {
        MultipartForm(MultipartReader(self, limits))
    }
}

/// The parts of a form, in the order of the form. It can be read once, by one task.
public struct MultipartForm: AsyncSequence, Sendable {
    /// A part of the form.
    public typealias Element = MultipartPart
    /// What reading may throw.
    public typealias Failure = any Error

    private let reader: MultipartReader

    init(_ reader: MultipartReader) {
        self.reader = reader
    }

    /// Returns an iterator over the parts.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader) }

    /// Reads the parts in order.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        private let reader: MultipartReader
        private var hasBegun = false

        init(_ reader: MultipartReader) {
            self.reader = reader
        }

        /// Returns the next part, after skipping what is left of the one before; nil at the end.
        public mutating func next() async throws -> MultipartPart? {
            if !hasBegun { try reader.begin() }
            hasBegun = true
            return try await reader.nextPart()
        }
    }
}
