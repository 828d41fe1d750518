import ASCIIText
import Testing

@Suite("Writer of bytes")
struct ByteWriterTests {
    private struct Refused: Error {}

    private func write(_ writer: inout ByteWriter) {
        writer.append("GET ")
        writer.append(Array("/path".utf8)[1...])
        writer.append(decimal: 1234)
        writer.append(UnsafeRawBufferPointer(start: nil, count: 0))
        writer.append([])
    }

    @Test(
        "An array has what was written, however small the guess of its length", arguments: [0, 1, 5, 12, 100])
    func array(capacity: Int) {
        let bytes = ByteWriter.array(capacity: capacity) { writer in
            write(&writer)
            #expect(writer.count == 12)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "GET path1234")
    }

    @Test("A writer with memory of its own grows, and forgets what it is told to")
    func ownMemory() {
        var writer = ByteWriter(capacity: 0)
        for _ in 0..<100 { write(&writer) }
        #expect(writer.count == 1200)
        #expect(writer.bytes.elementsEqual(String(repeating: "GET path1234", count: 100).utf8))
        writer.truncate(to: 3)
        #expect(writer.bytes.elementsEqual("GET".utf8))
        writer.removeAll()
        #expect(writer.bytes.isEmpty)
    }

    @Test("Bytes are appended behind what an array has, and none if the writing fails")
    func append() {
        var output = Array("> ".utf8)
        ByteWriter.append(atMost: 12, to: &output) { write(&$0) }
        #expect(String(decoding: output, as: UTF8.self) == "> GET path1234")
        #expect(throws: Refused.self) {
            try ByteWriter.append(atMost: 12, to: &output) { (writer) throws(Refused) in
                write(&writer)
                throw Refused()
            }
        }
        #expect(String(decoding: output, as: UTF8.self) == "> GET path1234")
    }

    @Test("Memory of fixed size gets what was written, and no memory gets nothing")
    func fixedMemory() {
        var room = [UInt8](repeating: UInt8(ascii: "-"), count: 14)
        let count = room.withUnsafeMutableBytes { room in ByteWriter.write(to: room) { write(&$0) } }
        #expect(count == 12)
        #expect(String(decoding: room, as: UTF8.self) == "GET path1234--")
        let none = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        #expect(ByteWriter.write(to: none) { write(&$0) } == 0)
    }

    @Test("A write beyond memory of fixed size stops the program")
    func beyondFixedMemory() async {
        await #expect(processExitsWith: .failure) {
            var output: [UInt8] = []
            ByteWriter.append(atMost: 1, to: &output) { writer in
                for _ in 0..<10_000 { writer.append("0123456789") }
            }
        }
    }

    @Test("A number is written with all its digits", arguments: [0, 9, 10, 99, 100, 999, 1000, 12_345, .max])
    func decimal(number: Int) {
        let bytes = ByteWriter.array(capacity: 1) { $0.append(decimal: number) }
        #expect(String(decoding: bytes, as: UTF8.self) == "\(number)")
    }
}
