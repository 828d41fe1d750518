import ASCIIText
package import JSONBytes

/// Splits a text at its references: `user:{claims.sub}`. `{{` is the text `{`.
package struct TemplateScanner {
    package enum Piece {
        case text(String)
        /// With the reference as it was written, in its braces.
        case reference(ReferenceRoot, [JSONPathStep], written: String)
    }

    package struct Fault: Error {
        package let reason: ReferenceParser.Fault
        /// The reference as it was written, up to its brace or to the end of the text.
        package let written: String
    }

    private let bytes: [UInt8]
    private var index = 0

    package init(_ text: String) { bytes = Array(text.utf8) }

    /// Returns the next piece; nil at the end. Call it no more after a fault.
    package mutating func next() throws(Fault) -> Piece? {
        guard index < bytes.count else { return nil }
        let start = index
        guard bytes[start] == Byte.openBrace else {
            index = bytes[start...].firstIndex(of: Byte.openBrace) ?? bytes.count
            return .text(text(from: start, to: index))
        }
        if start + 1 < bytes.count, bytes[start + 1] == Byte.openBrace {
            index += 2
            return .text("{")
        }
        var parser = ReferenceParser(bytes, from: start + 1)
        do throws(ReferenceParser.Fault) {
            let (root, path, end) = try parser.parse()
            index = end
            return .reference(root, path, written: text(from: start, to: end))
        } catch {
            let end = bytes[start...].firstIndex(of: Byte.closeBrace).map { $0 + 1 } ?? bytes.count
            throw Fault(reason: error, written: text(from: start, to: end))
        }
    }

    private func text(from start: Int, to end: Int) -> String {
        String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
