import HTTPModel

/// The percent-encoded path of a call. Each interpolated value stays within one segment.
///
///     let path: RequestPath = "/users/\(name)/diary"
///
/// A value that could leave its segment makes the path invalid: an empty value, `.`, `..`, and any `/`, `\`
/// or control character, literal or percent-encoded any number of times. A call with an invalid path fails
/// before it is sent.
///
/// The literal parts are trusted and may contain a query. Characters not allowed in a URL (`[`, `|`, a space,
/// non-ASCII text) are percent-encoded, escapes such as `%2F` are kept, and a fragment is dropped. A `.` or
/// `..` segment or a control character makes the path invalid, percent-encoded or not.
public struct RequestPath: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The encoded path.
    public let text: String
    /// Why the path is invalid; nil if it is valid. Does not contain the value.
    public let fault: String?

    /// Creates a path from percent-encoded text, which is trusted like a literal.
    public init(encoded text: String) {
        self.text = text
        fault = nil
    }

    /// Creates the value from a string literal.
    public init(stringLiteral text: String) {
        self.init(encoded: text)
    }

    /// Creates a path from text with values, each of which becomes one segment.
    public init(stringInterpolation interpolation: Interpolation) {
        text = interpolation.text
        fault = interpolation.fault
    }

    /// Assembles a path from unchanged literals and encoded values.
    public struct Interpolation: StringInterpolationProtocol, Sendable {
        var text = ""
        var fault: String?

        /// Makes room for the text.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        /// Appends text that stays as it is written.
        public mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Appends a value, percent-encoded into one segment.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            do {
                text += try PercentEncoding.encodeSegment(value.description)
            } catch {
                fault = fault ?? "a value in the path \(error)"
            }
        }
    }
}
