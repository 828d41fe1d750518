/// The body of a request in pieces, as they arrive. It can be read once, by one task.
///
///     gateway.post("/logs", .streamsBody, .bodyLimit(1 << 30), .deadline(.seconds(600))) { request in
///         var count = 0
///         for try await bytes in request.bodyStream { count += bytes.count }
///         return .json(["count": count])
///     }
///
/// Content codings are decoded as `decodedBody()` does. The client is slowed down to the pace of the reader:
/// at most 128 KiB wait in memory. Reading throws a `GatewayError`, which a handler lets propagate, if the
/// body is malformed (400), too slow (408) or longer than the endpoint's limit (413), and a
/// `CancellationError` if the client has left or the request is over. Cancelling the task ends the body.
public struct RequestBody: AsyncSequence, Sendable {
    /// A piece of bytes.
    public typealias Element = ArraySlice<UInt8>
    /// What reading may throw.
    public typealias Failure = any Error

    private let content: BodyContent

    init(_ content: BodyContent) {
        self.content = content
    }

    /// Returns an iterator. The bytes can be read once.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(content) }

    /// Reads the whole body into memory, which counts among the request bodies of its loop.
    ///
    /// - Parameter limit: the most bytes that are read, besides the endpoint's own limit.
    /// - Throws: 413 if the body is longer, 503 if the memory for bodies is full, else what reading the
    ///   pieces throws.
    public func bytes(limit: Int = .max) async throws -> [UInt8] {
        var whole: [UInt8] = []
        for try await bytes in self {
            guard bytes.count <= limit - whole.count else { throw GatewayError.payloadTooLarge(limit: limit) }
            try content.collect(bytes.count)
            whole += bytes
        }
        return whole
    }

    /// Reads the pieces in order.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        private let content: BodyContent
        private var hasBegun = false

        init(_ content: BodyContent) {
            self.content = content
        }

        /// Returns the next piece, which is not empty; nil at the end.
        public mutating func next() async throws -> ArraySlice<UInt8>? {
            if !hasBegun { try content.claim() }
            hasBegun = true
            return try await content.next()
        }
    }
}

extension GatewayRequest {
    /// The body as it arrives, at an endpoint with `.streamsBody`. Elsewhere the buffered body in one piece,
    /// from its beginning for each use of this property.
    public var bodyStream: RequestBody { RequestBody(BodyContent(self)) }

    /// Throws for a function that needs the buffered body, if the endpoint streams it.
    func requireBufferedBody(for function: String) throws(EndpointFault) {
        guard !match.streamsBody else {
            throw EndpointFault("\(function) needs the whole body, but the endpoint streams it")
        }
    }
}

extension EndpointOption {
    /// Starts the handler when the head of the request has arrived, and gives it the body in pieces: read
    /// `bodyStream` or `multipart()`. `body` is empty, and `json()` and `form()` fail.
    ///
    /// The endpoint's `.bodyLimit` still applies, and its `.deadline` includes the upload. If the answer is
    /// sent before the body has arrived, the connection closes after it.
    public static var streamsBody: EndpointOption { EndpointOption { $0.streamsBody = true } }
}
