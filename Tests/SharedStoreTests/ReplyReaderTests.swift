import SharedStore
import Testing

@Suite("Reader of replies")
struct ReplyReaderTests {
    /// Reads the pieces in order. Returns the replies, and the fault that ended them.
    private func read(_ pieces: [[UInt8]]) -> ([StoreReply], ReplyFault?) {
        let reader = ReplyReader()
        var replies: [StoreReply] = []
        for piece in pieces {
            do {
                try piece.withUnsafeBytes { bytes in
                    try reader.read(bytes) {
                        replies.append($0)
                        return true
                    }
                }
            } catch {
                return (replies, error as? ReplyFault)
            }
        }
        return (replies, nil)
    }

    private func read(_ text: String) -> ([StoreReply], ReplyFault?) { read([Array(text.utf8)]) }

    @Test(
        "What does not follow the protocol is refused",
        arguments: [
            "HTTP/1.1 400 Bad Request\r\n\r\n", "?\r\n", "\r\n", "\0", "$x\r\n", "$-2\r\n", "*-2\r\n",
            "*x\r\n",
            ":12x\r\n", ":\r\n", ":99999999999999999999\r\n", "*1\r\n\u{16}\u{3}",
            "$99999999999999999999\r\n",
            "*4294967297\r\n", "+OK\r\nnonsense\r\n",
        ])
    func nonsense(_ text: String) {
        let (replies, fault) = read(text)
        #expect(fault != nil, "\(replies)")
        #expect(replies == (text.hasPrefix("+OK") ? [.status("OK")] : []))
    }

    @Test("After a fault nothing more is read")
    func fault() {
        let reader = ReplyReader()
        for text in ["nonsense\r\n", "+OK\r\n"] {
            #expect(throws: ReplyFault.malformed) {
                try Array(text.utf8).withUnsafeBytes { try reader.read($0) { _ in true } }
            }
        }
    }

    @Test("An array of too many elements is refused before they come")
    func tooManyElements() {
        #expect(read("*64\r\n") == ([], nil))
        #expect(read("*65\r\n") == ([], .tooManyElements))
        #expect(read("*2147483647\r\n") == ([], .tooManyElements))
        #expect(read("*1\r\n*2147483647\r\n") == ([], .tooManyElements))
    }

    @Test("Arrays that are nested too deeply are refused")
    func tooDeep() {
        #expect(read("*1\r\n*1\r\n:7\r\n") == ([.array([.array([.integer(7)])])], nil))
        #expect(read("*1\r\n*1\r\n*1\r\n:7\r\n") == ([], .tooDeep))
    }

    @Test(
        "A reply that is too long is refused while it comes",
        arguments: [
            "$1000000\r\n", "+", "-", ":", "*64\r\n$300\r\n" + String(repeating: "y", count: 300) + "\r\n",
        ])
    func tooLong(_ start: String) {
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
        let (replies, fault) = read([Array(start.utf8)] + Array(repeating: piece, count: 100))
        #expect(replies.isEmpty)
        // What follows the element of an array is not an element.
        #expect(fault == (start.hasPrefix("*") ? .malformed : .tooLong))
    }

    @Test("A long reply whose length is right is refused as well, in one piece or many")
    func longBulk() {
        let most = ReplyReader.mostBytes - "$16376\r\n\r\n".utf8.count
        for (count, isRead) in [(most, true), (most + 1, false)] {
            let text = Array("$\(count)\r\n".utf8) + [UInt8](repeating: 7, count: count) + Array("\r\n".utf8)
            let expected =
                isRead
                ? ([StoreReply.bytes([UInt8](repeating: 7, count: count))], nil) : ([], ReplyFault.tooLong)
            #expect(read([text]) == expected, "\(count)")
            #expect(read(text.map { [$0] }) == expected, "\(count)")
        }
    }

    private static let sample =
        "+OK\r\n-NOSCRIPT No matching script.\r\n:-42\r\n:9007199254740992\r\n$5\r\na\r\nb\0\r\n"
        + "$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n*3\r\n:1\r\n*2\r\n$2\r\nhi\r\n:0\r\n+x\r\n+\r\n*1\r\n$-1\r\n"
    private static let replies: [StoreReply] = [
        .status("OK"), .error("NOSCRIPT No matching script."), .integer(-42), .integer(1 << 53),
        .bytes(Array("a\r\nb\0".utf8)), .bytes([]), .null, .null, .array([]),
        .array([.integer(1), .array([.bytes(Array("hi".utf8)), .integer(0)]), .status("x")]), .status(""),
        .array([.null]),
    ]

    @Test("Replies are read in order, all at once, byte by byte, and cut at any place")
    func cuts() {
        let bytes = Array(Self.sample.utf8)
        #expect(read([bytes]) == (Self.replies, nil))
        #expect(read(bytes.map { [$0] }) == (Self.replies, nil))
        for cut in 0...bytes.count {
            #expect(read([Array(bytes[..<cut]), Array(bytes[cut...])]) == (Self.replies, nil), "\(cut)")
        }
    }

    @Test("Many replies at once may be longer together than one may be")
    func many() {
        let text = String(repeating: "*2\r\n:1\r\n:5\r\n", count: 5000)
        let (replies, fault) = read(text)
        #expect(fault == nil)
        #expect(replies == Array(repeating: .array([.integer(1), .integer(5)]), count: 5000))
    }

    @Test("The owner may stop between two replies")
    func stop() throws {
        let reader = ReplyReader()
        var replies: [StoreReply] = []
        try Array("+a\r\n+b\r\n".utf8).withUnsafeBytes {
            try reader.read($0) {
                replies.append($0)
                return false
            }
        }
        #expect(replies == [.status("a")])
    }

    @Test("Bytes that are not UTF-8 become text with replacement characters, never a crash")
    func notUTF8() {
        #expect(read([[0x2b, 0xff, 0xfe, 0x0d, 0x0a]]).0 == [.status("\u{fffd}\u{fffd}")])
    }
}
