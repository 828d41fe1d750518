import HTTPModel

/// The path of a call, percent-encoded, with each interpolated value kept inside one segment.
///
///     let path: RequestPath = "/users/\(name)/diary"
///
/// A value that could leave its segment makes the path invalid, and a call with an invalid path fails before
/// anything is sent: an empty value, `.`, `..`, and any `/`, `\` or control byte, written out or
/// percent-encoded (however often).
///
/// The literal parts are the author's, and may have a query. What a URL cannot hold is percent-encoded in them (`[`, `|`, a
/// blank, text beyond ASCII), escapes such as `%2F` stay, and a fragment is dropped. A `.` or `..` segment and a control
/// character make the path invalid, percent-encoded or not.
public struct RequestPath: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The encoded path.
    public let text: String
    /// Why the path cannot be used, or nil. Does not repeat the value.
    public let fault: String?

    /// A path whose text is percent-encoded already and trusted as far as a literal is.
    public init(encoded text: String) {
        self.text = text
        fault = nil
    }

    public init(stringLiteral text: String) {
        self.init(encoded: text)
    }

    public init(stringInterpolation interpolation: Interpolation) {
        text = interpolation.text
        fault = interpolation.fault
    }

    /// Puts a path together: literals as they are, values encoded.
    public struct Interpolation: StringInterpolationProtocol, Sendable {
        var text = ""
        var fault: String?

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// A value, percent-encoded into one segment.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            do {
                text += try PercentEncoding.encodeSegment(value.description)
            } catch {
                fault = fault ?? "a value in the path \(error)"
            }
        }
    }
}
