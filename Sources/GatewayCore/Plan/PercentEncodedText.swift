import ASCIIText
import HTTPModel

/// Percent-encoding of values that rarely need it.
enum PercentEncodedText {
    /// Appends a value of a query, or a name.
    static func append(_ value: String, to text: inout String) {
        if isPlain(value) { text += value } else { text += PercentEncoding.encode(value) }
    }

    /// Appends a value as one segment of a path.
    ///
    /// - Throws: if the value would not stay one segment.
    static func appendSegment(_ value: String, to text: inout String) throws(PercentEncoding.Failure) {
        if isPlain(value), value != ".", value != "..", !value.isEmpty {
            text += value
        } else {
            text += try PercentEncoding.encodeSegment(value)
        }
    }

    static func checkSegment(_ value: String) throws(PercentEncoding.Failure) {
        if isPlain(value), value != ".", value != "..", !value.isEmpty { return }
        try PercentEncoding.checkSegment(Array(value.utf8))
    }

    private static func isPlain(_ value: String) -> Bool { value.utf8.allSatisfy(ASCII.isUnreserved) }
}
