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

    /// Returns the lines that end in the piece, without their ends. They share its memory where they can.
    package mutating func lines(in piece: ArraySlice<UInt8>) throws(TooLong) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var left = piece
        while let first = left.first {
            if mayEndWithLineFeed {
                mayEndWithLineFeed = false
                if first == Self.lineFeed {
                    left = left.dropFirst()
                    continue
                }
            }
            guard let end = left.firstIndex(where: { endsLine($0) }) else {
                try check(left.count)
                rest += left
                return lines
            }
            let line = left[left.startIndex..<end]
            try check(line.count)
            lines.append(rest.isEmpty ? line : rest[...] + line)
            rest = []
            mayEndWithLineFeed = left[end] == Self.carriageReturn
            left = left[(end + 1)...]
        }
        return lines
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
