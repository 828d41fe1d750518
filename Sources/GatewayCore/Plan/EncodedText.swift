import ASCIIText
import HTTPModel

/// Percent-encoding of values that rarely need it.
enum EncodedText {
    /// Returns a value of a query, or a name.
    static func value(_ text: String) -> String { isPlain(text) ? text : PercentEncoding.encode(text) }

    /// Returns a value as one segment of a path.
    ///
    /// - Throws: if the value would not stay one segment.
    static func segment(_ text: String) throws(PercentEncoding.Failure) -> String {
        isPlainSegment(text) ? text : try PercentEncoding.encodeSegment(text)
    }

    static func checkSegment(_ text: String) throws(PercentEncoding.Failure) {
        if !isPlainSegment(text) { try PercentEncoding.checkSegment(Array(text.utf8)) }
    }

    private static func isPlainSegment(_ text: String) -> Bool {
        isPlain(text) && text != "." && text != ".." && !text.isEmpty
    }

    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy(ASCII.isUnreserved) }
}
