import JSONBytes

extension Page {
    struct ConsoleEntry: Sendable {
        let level: String
        /// `console-api`, `javascript`, `network`, `security` and others.
        let source: String
        let message: String
    }

    /// A request that the page started, even if the browser then blocked it.
    struct SentRequest: Sendable {
        let method: String
        let url: String
    }

    /// A response over TLS.
    struct SecureResponse: Sendable, Equatable {
        let url: String
        /// The name of the certificate's owner, as the browser shows it.
        let subject: String
        /// `TLS 1.3`
        let version: String
    }

    /// Returns the console entries since the last call.
    func console() async throws -> [ConsoleEntry] {
        try await log(.browser).map {
            ConsoleEntry(
                level: $0[member: "level"]?.stringValue ?? "",
                source: $0[member: "source"]?.stringValue ?? "",
                message: $0[member: "message"]?.stringValue ?? "")
        }
    }

    /// Returns the page's requests since the last call, without requests of the browser's own pages.
    func requests() async throws -> [SentRequest] {
        try await networkEvents("requestWillBeSent").compactMap { parameters in
            guard let request = parameters[member: "request"],
                let document = parameters[member: "documentURL"]?.stringValue,
                !document.hasPrefix("chrome:"), let url = request[member: "url"]?.stringValue
            else { return nil }
            return SentRequest(method: request[member: "method"]?.stringValue ?? "", url: url)
        }
    }

    /// Returns the responses over TLS since the last call.
    func secureResponses() async throws -> [SecureResponse] {
        try await networkEvents("responseReceived").compactMap { parameters in
            guard let response = parameters[member: "response"],
                let url = response[member: "url"]?.stringValue,
                let details = response[member: "securityDetails"],
                let subject = details[member: "subjectName"]?.stringValue,
                let version = details[member: "protocol"]?.stringValue
            else { return nil }
            return SecureResponse(url: url, subject: subject, version: version)
        }
    }

    /// Returns the parameters of an event of the DevTools protocol since the last call of any of these.
    private func networkEvents(_ name: String) async throws -> [JSONFragment] {
        try await log(.performance).compactMap { entry in
            guard let text = entry[member: "message"]?.stringValue,
                let event = try? JSONFragment(validating: Array(text.utf8)[...])[member: "message"],
                event[member: "method"]?.stringValue == "Network.\(name)"
            else { return nil }
            return event[member: "params"]
        }
    }
}
