/// Logs what a provider sends and receives, one line each (Moya's `NetworkLoggerPlugin`).
///
///     let tags = Provider<TagAPI>(plugins: [NetworkLogger { print($0) }])
///     // curl --globoff 'http://tags.test/tags' -H 'Accept: application/json' ...
///     // 200 from tags: GET /tags, 1893 bytes, 12.4 ms, attempts 1
///
/// A request's line can be pasted into a shell. No line contains secrets.
public struct NetworkLogger: PluginType {
    /// What to log.
    public struct Detail: OptionSet, Sendable {
        /// The bits of the set.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Each attempt as a curl command.
        public static let requests = Detail(rawValue: 1)
        /// Each response (status, size, time, attempts) and each call without a response.
        public static let responses = Detail(rawValue: 2)
        /// Each response that is read as a failure.
        public static let failures = Detail(rawValue: 4)
        /// The fields of responses.
        public static let responseFields = Detail(rawValue: 8)
        /// The bodies of responses, if they are text, up to `bodyLimit`.
        public static let responseBodies = Detail(rawValue: 16)

        /// Requests, responses and failures, one line each.
        public static let standard: Detail = [.requests, .responses, .failures]
        /// Everything.
        public static let verbose: Detail = [.standard, .responseFields, .responseBodies]
    }

    private let lines: NetworkLogLines
    private let write: @Sendable (String) -> Void

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - detail: what to log. Default `.standard`.
    ///   - redaction: what to replace. Default: common secrets.
    ///   - bodyLimit: maximum number of body bytes to show. Default 16 KiB.
    ///   - write: receives each line, without a line end, on the call's loop. Must be quick and must not
    ///     block.
    public init(
        _ detail: Detail = .standard, redaction: Redaction = Redaction(), bodyLimit: Int = 16 << 10,
        write: @escaping @Sendable (String) -> Void
    ) {
        lines = NetworkLogLines(detail, redaction: redaction, bodyLimit: bodyLimit)
        self.write = write
    }

    /// Writes the line of an attempt.
    public func willSend(_ call: TransportCall, attempt: Int) {
        for line in lines.request(call, attempt: attempt) { write(line) }
    }

    /// Writes the line of a result.
    public func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall) {
        for line in lines.response(result) { write(line) }
    }

    /// Writes the line of a response that was read as a failure.
    public func didFail(_ error: NetworkError, call: TransportCall) {
        for line in lines.failure(error) { write(line) }
    }
}
