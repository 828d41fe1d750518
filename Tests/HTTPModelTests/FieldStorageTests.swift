import HTTPModel
import Testing

@Suite("Storage of fields")
struct FieldStorageTests {
    private func text(_ fields: HTTPFields) -> String {
        String(decoding: fields.storage.bytes[fields.storage.textStart...], as: UTF8.self)
    }

    /// The fields of a head as a parser stores them, and one entry that is not used.
    private func parsed() -> (head: String, fields: HTTPFields) {
        let head = "GET /a?b HTTP/1.1\r\nX-A: 1\r\nx-b:\t2 \r\n\r\n"
        let entries = [
            FieldStorage.Entry(from: 19, nameEnd: 22, valueStart: 24, to: 25),
            FieldStorage.Entry(from: 27, nameEnd: 30, valueStart: 32, to: 33),
            FieldStorage.Entry(from: 0, nameEnd: 3, valueStart: 4, to: 8),
        ]
        let storage = Array(head.utf8).withUnsafeBytes {
            FieldStorage(head: $0, entries: entries, count: 2)
        }
        return (head, HTTPFields(storage))
    }

    @Test("Appended fields stand in the text as they are sent")
    func appended() {
        var fields: HTTPFields = ["A": "1"]
        fields.append("B", " 2 ")
        fields.append("C", "")
        #expect(text(fields) == "A: 1\r\nB: 2\r\nC: \r\n")
        for _ in 0..<9 { fields.append("D", "3") }
        #expect(text(fields).hasPrefix("A: 1\r\nB: 2\r\nC: \r\nD: 3\r\nD: 3\r\n"))
    }

    @Test("Fields of a parsed head are found at their places, and the head stays their text")
    func parsedHead() {
        let (head, fields) = parsed()
        #expect(fields == ["X-A": "1", "x-b": "2"])
        #expect(text(fields) == head && !fields.storage.isChecked)
        #expect(fields.firstIndex(of: "X-B") == 1 && fields.firstIndex(of: "GET") == nil)
    }

    @Test("Fields of a parsed head can be changed, and the copy keeps the head")
    func changed() {
        let (head, fields) = parsed()
        var changed = fields
        changed.append("C", "3")
        #expect(changed == ["X-A": "1", "x-b": "2", "C": "3"])
        changed.remove("x-a")
        changed["D"] = "4"
        #expect(changed == ["x-b": "2", "C": "3", "D": "4"])
        #expect(fields.count == 2 && text(fields) == head)
    }

    @Test("The target of a parsed head is read from the text of its fields")
    func target() throws {
        let (_, fields) = parsed()
        let shape = try #require(Array("/a?b".utf8).withUnsafeBytes { TargetShape($0) })
        let target = RequestTarget(in: fields.storage, range: 4..<8, shape: shape)
        #expect(target.description == "/a?b")
        #expect(target.path == "/a" && target.query == "b" && target.pathLength == 2)
        #expect(target == RequestTarget("/a?b"))
        #expect(Set([target, target]).count == 1)
    }

    @Test("The content of a message is the end of the storage")
    func content() {
        let (_, fields) = parsed()
        #expect(fields.content(2).elementsEqual("\r\n".utf8))
        #expect(fields.content(0).isEmpty)
    }
}
