import ASCIIText
import Testing

@Suite("Byte writer")
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
        "An array has all written bytes, even if its requested capacity was too small",
        arguments: [0, 1, 5, 12, 100])
    func array(capacity: Int) {
        let bytes = ByteWriter.array(capacity: capacity) { writer in
            write(&writer)
            #expect(writer.count == 12)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "GET path1234")
    }

    @Test("A writer with its own memory grows, and can be truncated or emptied")
    func ownMemory() {
        var writer = ByteWriter(capacity: 0)
        for _ in 0..<100 { write(&writer) }
        #expect(writer.count == 1200)
        #expect(writer.bytes.elementsEqual(String(repeating: "GET path1234", count: 100).utf8))
        writer.truncate(to: 1200)
        #expect(writer.count == 1200)
        writer.truncate(to: 3)
        #expect(writer.bytes.elementsEqual("GET".utf8))
        writer.truncate(to: 0)
        #expect(writer.bytes.isEmpty)
        write(&writer)
        #expect(writer.count == 12)
        writer.removeAll()
        #expect(writer.bytes.isEmpty)
    }

    @Test("Bytes are appended to an array, which stays unchanged if the closure throws")
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

    @Test("Bytes are written to memory of fixed size, and none to an empty buffer")
    func fixedMemory() {
        var room = [UInt8](repeating: UInt8(ascii: "-"), count: 14)
        let count = room.withUnsafeMutableBytes { room in ByteWriter.write(to: room) { write(&$0) } }
        #expect(count == 12)
        #expect(String(decoding: room, as: UTF8.self) == "GET path1234--")
        let none = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        #expect(ByteWriter.write(to: none) { write(&$0) } == 0)
    }

    @Test("Writing beyond the reserved memory stops the program")
    func beyondFixedMemory() async {
        await #expect(processExitsWith: .failure) {
            var output: [UInt8] = []
            ByteWriter.append(atMost: 1, to: &output) { writer in
                for _ in 0..<10_000 { writer.append("0123456789") }
            }
        }
    }

    @Test("Text cannot be truncated to more than was written, or to a negative length", arguments: [-1, 4])
    func truncatedTooFar(length: Int) async {
        await #expect(processExitsWith: .failure) { [length] in
            var writer = ByteWriter(capacity: 16)
            writer.append("GET")
            writer.truncate(to: length)
        }
    }

    @Test("A negative number is not written")
    func negative() async {
        await #expect(processExitsWith: .failure) {
            _ = ByteWriter.array(capacity: 1) { $0.append(decimal: -1) }
        }
    }

    @Test("Bytes that are stored in reserved room are counted once the writer advances")
    func reserved() {
        let bytes = ByteWriter.array(capacity: 1) { writer in
            writer.append("ab")
            for _ in 0..<2 {
                let place = writer.reserve(3)
                for index in 0..<3 { place[index] = UInt8(ascii: "0") + UInt8(index) }
                writer.advance(by: 2)
            }
            #expect(writer.count == 6)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "ab0101")
    }

    @Test("A number is written in decimal with all its digits")
    func decimal() {
        let powers = sequence(first: 1) { $0 > Int.max / 10 ? nil : $0 * 10 }
        for number in powers.flatMap({ [$0 - 1, $0, $0 + 1] }) + [12_345, .max - 1, .max] {
            let bytes = ByteWriter.array(capacity: 1) { $0.append(decimal: number) }
            #expect(String(decoding: bytes, as: UTF8.self) == "\(number)")
        }
    }
}
