import HTTPModel
@_spi(Reading) import JSONBytes

/// The lines that a logger writes for a call.
package struct NetworkLogLines: Sendable {
    private let detail: NetworkLogger.Detail
    private let redaction: Redaction
    private let requestBodyLimit: Int
    private let bodyLimit: Int

    /// - Parameters:
    ///   - detail: what to log.
    ///   - redaction: what to replace.
    ///   - bodyLimit: maximum number of body bytes to show.
    ///   - requestBodyLimit: the same of requests. Default nil: `bodyLimit`.
    package init(
        _ detail: NetworkLogger.Detail, redaction: Redaction, bodyLimit: Int, requestBodyLimit: Int? = nil
    ) {
        self.detail = detail
        self.redaction = redaction
        self.bodyLimit = max(bodyLimit, 0)
        self.requestBodyLimit = max(requestBodyLimit ?? bodyLimit, 0)
    }

    package func request(_ call: TransportCall, attempt: Int) -> [String] {
        guard detail.contains(.requests) else { return [] }
        let line = call.curlCommand(redaction: redaction, bodyLimit: requestBodyLimit)
        return [attempt == 1 ? line : "\(line)  # attempt \(attempt)"]
    }

    package func response(_ result: Result<Response, NetworkError>) -> [String] {
        guard detail.contains(.responses) else { return [] }
        switch result {
        case .success(let response):
            var lines = ["\(response), \(milliseconds(response.elapsed)) ms, attempts \(response.attempts)"]
            if detail.contains(.responseFields) { lines += fields(of: response) }
            if detail.contains(.responseBodies), let text = body(of: response) { lines.append("  " + text) }
            return lines
        case .failure(let error): return ["\(error), \(milliseconds(error.elapsed)) ms"]
        }
    }

    package func failure(_ error: NetworkError) -> [String] {
        detail.contains(.failures) ? ["\(error)"] : []
    }

    private func fields(of response: Response) -> [String] {
        var lines: [String] = []
        for (text, value) in response.fields {
            guard let name = HTTPFieldName(text) else { continue }
            lines.append("  \(text): \(redaction.value(of: name, value))")
        }
        return lines
    }

    /// Nil for an empty body, and for a body that is not in memory.
    private func body(of response: Response) -> String? {
        let data = response.data
        guard !data.isEmpty else { return nil }
        if let document = try? JSONScanner.validate(data) {
            let bytes = redaction.json(document).bytes
            return shown(bytes, of: bytes.count)
        }
        if MediaType(response.fields[.contentType] ?? "")?.isForm == true {
            let form = Array(redaction.pairs(String(decoding: data, as: UTF8.self)).utf8)
            return shown(form[...], of: form.count)
        }
        guard data.count > bodyLimit || String(validating: data, as: UTF8.self) != nil else {
            return "(\(data.count) bytes that are not text)"
        }
        return shown(data, of: data.count)
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
