/// Cuts bytes that arrive in pieces into lines.
package struct LineSplitter: Sendable {
    /// The bytes that end a line.
    package enum Ending: Sendable {
        /// LF. A CR before it is white space to the reader of the line, as in NDJSON.
        case lineFeed
        /// CRLF, LF or CR, as in event streams (WHATWG HTML 9.2.5).
        case any
    }

    /// A line has more bytes than allowed.
    package struct TooLong: Error, Sendable {
        /// Maximum number of bytes.
        let limit: Int
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private let ending: Ending
    private let limit: Int
    /// The line in progress, as far as earlier pieces have it.
    private var rest: [UInt8] = []
    /// Whether the last line ended with a CR, so that an LF belongs to it.
    private var mayEndWithLineFeed = false

    package init(_ ending: Ending, limit: Int) {
        self.ending = ending
        self.limit = limit
    }

    /// Removes the next line that ends in the piece, and returns it without its end. It shares memory with
    /// the piece where it can. Returns nil, and keeps the rest of the piece, if no line ends there.
    package mutating func nextLine(in piece: inout ArraySlice<UInt8>) throws(TooLong) -> ArraySlice<UInt8>? {
        if mayEndWithLineFeed, let first = piece.first {
            mayEndWithLineFeed = false
            if first == Self.lineFeed { piece = piece.dropFirst() }
        }
        guard let end = piece.firstIndex(where: { endsLine($0) }) else {
            try check(piece.count)
            rest += piece
            piece = []
            return nil
        }
        try check(end - piece.startIndex)
        let line: ArraySlice<UInt8> = rest.isEmpty ? piece[..<end] : rest[...] + piece[..<end]
        rest = []
        mayEndWithLineFeed = piece[end] == Self.carriageReturn
        piece = piece[(end + 1)...]
        return line
    }

    /// Returns the bytes after the last line end, and forgets them.
    package mutating func takeRest() -> ArraySlice<UInt8> {
        defer { rest = [] }
        return rest[...]
    }

    private func endsLine(_ byte: UInt8) -> Bool {
        byte == Self.lineFeed || (ending == .any && byte == Self.carriageReturn)
    }

    private func check(_ count: Int) throws(TooLong) {
        guard count <= limit - rest.count else { throw TooLong(limit: limit) }
    }
}
