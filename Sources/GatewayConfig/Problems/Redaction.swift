import ASCIIText
import EndpointPlans

extension ConfigDocument {
    /// Shorter values are no secrets, and would be found in any text.
    private static let shortest = 3

    /// Returns a message of a module that does not know of variables, with the variables in place of their values.
    package func redacted(_ message: String) -> String {
        // Longer ones first: a value may contain another.
        let values = variableValues.filter { $0.key.utf8.count >= Self.shortest }
            .sorted { ($1.key.utf8.count, $0.key) < ($0.key.utf8.count, $1.key) }
        return values.reduce(message) { message, value in
            let message = Redaction.replace(value.key, by: Shown.text(value.value), in: message)
            return Redaction.replace(Shown.text(value.key), by: Shown.text(value.value), in: message)
        }
    }
}

private enum Redaction {
    /// Replaces a text wherever it stands. Case does not matter, because modules write hosts and schemes in lower case.
    static func replace(_ text: String, by other: String, in message: String) -> String {
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
