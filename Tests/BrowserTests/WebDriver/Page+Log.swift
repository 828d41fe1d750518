import JSONBytes

/// What the browser says about a page, and what the page asked for.
extension Page {
    /// An entry of the console.
    struct ConsoleEntry: Sendable {
        let level: String
        /// `console-api`, `javascript`, `network`, `security` and others.
        let source: String
        let message: String
    }

    /// A request that was about to be sent, whether or not it was then let go.
    struct SentRequest: Sendable {
        let method: String
        let url: String
    }

    /// The console since it was last asked for.
    func console() async throws -> [ConsoleEntry] {
        try await log(.browser).map {
            ConsoleEntry(
                level: $0[member: "level"]?.stringValue ?? "",
                source: $0[member: "source"]?.stringValue ?? "",
                message: $0[member: "message"]?.stringValue ?? "")
        }
    }

    /// The requests of all pages that were opened since it was last asked for, but not of the browser's own.
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
