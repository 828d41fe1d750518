public import Networking

/// Logs calls as `NetworkLogger` does, under Moya's name and settings.
///
///     MoyaProvider<GitHub>(plugins: [NetworkLoggerPlugin(configuration: .init(logOptions: .verbose))])
///
/// A request is a curl command on one line. Secrets are redacted.
public struct NetworkLoggerPlugin: PluginType {
    /// What to log, and where.
    public struct Configuration: Sendable {
        /// Receives the lines of an event, without line ends, on the call's loop. Must be quick and must not
        /// block. (Moya passes the target instead of the call.)
        public typealias Output = @Sendable (_ call: TransportCall, _ items: [String]) -> Void

        /// The parts of calls to log. Status, size and time of a response are always logged.
        public struct LogOptions: OptionSet, Sendable {
            /// The bits of the set.
            public let rawValue: Int

            /// Creates a set from its bits.
            public init(rawValue: Int) { self.rawValue = rawValue }

            /// The request's line, which always has the method, the URL and the fields.
            public static let requestMethod = LogOptions(rawValue: 1)
            /// The request's line with the body, if that is text of at most 16 KiB.
            public static let requestBody = LogOptions(rawValue: 2)
            /// The same as `requestMethod`.
            public static let requestHeaders = LogOptions(rawValue: 4)
            /// The same as `requestBody`: every request is logged as a curl command.
            public static let formatRequestAscURL = LogOptions(rawValue: 8)
            /// The body of a 2xx response, if it is text, up to 16 KiB.
            public static let successResponseBody = LogOptions(rawValue: 16)
            /// The body of any other response.
            public static let errorResponseBody = LogOptions(rawValue: 32)

            /// Requests without their bodies.
            public static let `default`: LogOptions = [.requestMethod, .requestHeaders]
            /// Requests and responses with their bodies, and the fields of responses.
            public static let verbose: LogOptions = [
                .requestMethod, .requestHeaders, .requestBody, .successResponseBody, .errorResponseBody,
            ]
        }

        /// Receives the lines.
        public var output: Output
        /// The parts of calls to log.
        public var logOptions: LogOptions
        /// The secrets to replace.
        public var redaction: Redaction

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - output: receives the lines. Default: prints them.
        ///   - logOptions: the parts of calls to log.
        ///   - redaction: the secrets to replace. Default: common ones.
        public init(
            output: @escaping Output = Configuration.defaultOutput, logOptions: LogOptions = .default,
            redaction: Redaction = Redaction()
        ) {
            self.output = output
            self.logOptions = logOptions
            self.redaction = redaction
        }

        /// Prints each line to standard output.
        public static let defaultOutput: Output = { _, items in
            for item in items { print(item) }
        }
    }

    /// A logger of requests without their bodies.
    public static var `default`: NetworkLoggerPlugin { NetworkLoggerPlugin() }
    /// A logger of everything.
    public static var verbose: NetworkLoggerPlugin { NetworkLoggerPlugin(verbose: true) }

    /// What to log, and where.
    public let configuration: Configuration
    private let lines: NetworkLogLines
    private let linesWithBody: NetworkLogLines

    /// Creates a logger.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        let options = configuration.logOptions
        var detail: NetworkLogger.Detail = [.responses, .failures]
        let hasBody = !options.isDisjoint(with: [.requestBody, .formatRequestAscURL])
        if hasBody || !options.isDisjoint(with: .default) { detail.insert(.requests) }
        if options.isSuperset(of: .verbose) { detail.insert(.responseFields) }
        let limit = 16 << 10
        lines = NetworkLogLines(
            detail, redaction: configuration.redaction, bodyLimit: limit,
            requestBodyLimit: hasBody ? limit : 0)
        linesWithBody = NetworkLogLines(
            detail.union(.responseBodies), redaction: configuration.redaction, bodyLimit: limit)
    }

    /// Creates a logger that prints everything, or else requests without their bodies (Moya 13).
    public init(verbose: Bool) {
        self.init(configuration: Configuration(logOptions: verbose ? .verbose : .default))
    }

    /// Writes the lines of a request.
    public func willSend(_ call: TransportCall, attempt: Int) {
        write(lines.request(call, attempt: attempt), of: call)
    }

    /// Writes the lines of a result.
    public func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall) {
        let isSuccess = (try? result.get()).map { (200..<300).contains($0.statusCode) } ?? false
        let body: Configuration.LogOptions = isSuccess ? .successResponseBody : .errorResponseBody
        let lines = configuration.logOptions.contains(body) ? linesWithBody : lines
        write(lines.response(result), of: call)
    }

    /// Writes the lines of a response that was read as a failure.
    public func didFail(_ error: NetworkError, call: TransportCall) {
        write(lines.failure(error), of: call)
    }

    private func write(_ lines: [String], of call: TransportCall) {
        if !lines.isEmpty { configuration.output(call, lines) }
    }
}
