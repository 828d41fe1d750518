import HTTPModel
import JSONBytes

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
        public let rawValue: Int

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

    private let detail: Detail
    private let redaction: Redaction
    private let bodyLimit: Int
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
        self.detail = detail
        self.redaction = redaction
        self.bodyLimit = max(bodyLimit, 0)
        self.write = write
    }

    public func willSend(_ call: TransportCall, attempt: Int) {
        guard detail.contains(.requests) else { return }
        let line = call.curlCommand(redaction: redaction, bodyLimit: bodyLimit)
        write(attempt == 1 ? line : "\(line)  # attempt \(attempt)")
    }

    public func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall) {
        guard detail.contains(.responses) else { return }
        switch result {
        case .success(let response):
            write("\(response), \(milliseconds(response.elapsed)) ms, attempts \(response.attempts)")
            if detail.contains(.responseFields) { writeFields(of: response) }
            if detail.contains(.responseBodies) { writeBody(of: response) }
        case .failure(let error): write("\(error), \(milliseconds(error.elapsed)) ms")
        }
    }

    public func didFail(_ error: NetworkError, call: TransportCall) {
        if detail.contains(.failures) { write("\(error)") }
    }

    private func writeFields(of response: Response) {
        for (text, value) in response.fields {
            guard let name = HTTPFieldName(text) else { continue }
            write("  \(text): \(redaction.value(of: name, value))")
        }
    }

    private func writeBody(of response: Response) {
        let data = response.data
        guard !data.isEmpty else { return }
        if let document = try? JSONScanner.validate(data) {
            let bytes = redaction.json(document).bytes
            return write("  " + shown(bytes, of: bytes.count))
        }
        if MediaType(response.fields[.contentType] ?? "")?.isForm == true {
            let form = Array(redaction.pairs(String(decoding: data, as: UTF8.self)).utf8)
            return write("  " + shown(form[...], of: form.count))
        }
        guard data.count > bodyLimit || String(validating: data, as: UTF8.self) != nil else {
            return write("  (\(data.count) bytes that are not text)")
        }
        write("  " + shown(data, of: data.count))
    }

    /// Escapes control characters, so that content from an upstream cannot fake a log line.
    private func shown(_ bytes: ArraySlice<UInt8>, of count: Int) -> String {
        var text = ""
        for scalar in String(decoding: bytes.prefix(bodyLimit), as: UTF8.self).unicodeScalars {
            if scalar.isControl {
                text += scalar.escaped(asASCII: true)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return count > bodyLimit ? "\(text)... (\(count) bytes)" : text
    }

    private func milliseconds(_ duration: Duration) -> String {
        let tenths = duration.nanoseconds / 100_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
