import JSONBytes
import Networking

/// A failed command (W3C WebDriver, "Handling errors").
struct WebDriverError: Error, CustomStringConvertible {
    /// For example `no such element` or `stale element reference`.
    let code: String
    let message: String

    var description: String { "\(code): \(message)" }

    /// nil if the HTTP call failed rather than the command.
    init?(_ error: any Error) {
        guard let body = (error as? NetworkError)?.response?.data,
            let value = try? JSONFragment(validating: body)[member: "value"],
            let code = value[member: "error"]?.stringValue
        else { return nil }
        self.code = code
        message = value[member: "message"]?.stringValue ?? ""
    }

    /// Whether the page was changing, so that a retry may succeed.
    var isTransient: Bool {
        [
            "no such element", "stale element reference", "element not interactable",
            "element click intercepted",
        ].contains(code)
    }
}
