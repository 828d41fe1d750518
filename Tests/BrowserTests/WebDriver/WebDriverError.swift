import JSONBytes
import Networking

/// What the driver says of a command that went wrong (W3C WebDriver, "Handling errors").
struct WebDriverError: Error, CustomStringConvertible {
    /// `no such element`, `stale element reference` and so on.
    let code: String
    let message: String

    var description: String { "\(code): \(message)" }

    /// Nil where what failed is not the command but the call.
    init?(_ error: any Error) {
        guard let body = (error as? NetworkError)?.response?.data,
            let value = try? JSONFragment(validating: body)[member: "value"],
            let code = value[member: "error"]?.stringValue
        else { return nil }
        self.code = code
        message = value[member: "message"]?.stringValue ?? ""
    }

    /// Whether the page was only about to change, so that the same command may go well in a moment.
    var isTransient: Bool {
        [
            "no such element", "stale element reference", "element not interactable",
            "element click intercepted",
        ].contains(code)
    }
}
