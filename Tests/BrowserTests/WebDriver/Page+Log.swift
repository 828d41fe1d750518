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
        try await log(.performance).compactMap { entry in
            guard let text = entry[member: "message"]?.stringValue,
                let event = try? JSONFragment(validating: Array(text.utf8)[...])[member: "message"],
                event[member: "method"]?.stringValue == "Network.requestWillBeSent",
                let parameters = event[member: "params"], let request = parameters[member: "request"],
                let document = parameters[member: "documentURL"]?.stringValue,
                !document.hasPrefix("chrome:"), let url = request[member: "url"]?.stringValue
            else { return nil }
            return SentRequest(method: request[member: "method"]?.stringValue ?? "", url: url)
        }
    }
}
