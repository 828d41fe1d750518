import ASCIIText
import EndpointPlans

extension ConfigDocument {
    /// Returns a message of a module that does not know of variables, with variables instead of their values.
    package func redacted(_ message: String) -> String { Redaction.redact(message, variableValues) }
}

enum Redaction {
    /// Shorter values are not secrets, and would be found in any text.
    private static let shortest = 3

    /// Returns a message with variables instead of their values.
    ///
    /// - Parameters:
    ///   - message: any text.
    ///   - variables: the values, with the variables as the files have them.
    static func redact(_ message: String, _ variables: [String: String]) -> String {
        // Longer ones first: a value may contain another.
        let values = variables.filter { $0.key.utf8.count >= shortest }
            .sorted { ($1.key.utf8.count, $0.key) < ($0.key.utf8.count, $1.key) }
        return values.reduce(message) { message, value in
            let message = replace(value.key, by: Shown.text(value.value), in: message)
            return replace(Shown.text(value.key), by: Shown.text(value.value), in: message)
        }
    }

    /// Replaces a text wherever it stands. Case does not matter, because modules write hosts and schemes in
    /// lower case.
    private static func replace(_ text: String, by other: String, in message: String) -> String {
        let (needle, bytes) = (text.utf8.map(ASCII.lowercased), Array(message.utf8))
        guard bytes.count >= needle.count else { return message }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let rest = bytes[index...].prefix(needle.count)
            if rest.count == needle.count, rest.lazy.map(ASCII.lowercased).elementsEqual(needle) {
                result += other.utf8
                index += needle.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
