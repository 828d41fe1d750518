import Networking
import Testing

@Suite("Request body")
struct RequestBodyTests {
    /// Delivers a given number of bytes, a few at a time.
    private struct Counted: BodySource {
        var length: Int64?
        var count: Int
        func open() -> any BodyReader { Reader(left: count) }

        final class Reader: BodyReader {
            var left: Int
            init(left: Int) { self.left = left }

            func read(atMost count: Int) -> ArraySlice<UInt8> {
                let now = min(count, left, 1000)
                left -= now
                return ArraySlice(repeatElement(7, count: now))
            }
        }
    }

    @Test("A stream is collected from its start each time, and fails beyond the limit")
    func collect() throws {
        let body = RequestBody.stream(Counted(length: nil, count: 2500))
        #expect(throws: RequestBody.TooLong.self) { try body.collect(upTo: 2499) }
        #expect(try body.collect(upTo: 2500).count == 2500)
        #expect(try body.collect().count == 2500)
        #expect(try RequestBody.none.collect().isEmpty)
        #expect(try RequestBody.bytes([1, 2]).collect(upTo: 0) == [1, 2])
    }

    @Test("The length is known for bytes in memory and for streams that announce it")
    func length() {
        #expect(RequestBody.none.length == 0)
        #expect(RequestBody.bytes([1, 2]).length == 2)
        #expect(RequestBody.stream(Counted(length: 5, count: 5)).length == 5)
        for unknown in [nil, -1, .min] as [Int64?] {
            #expect(RequestBody.stream(Counted(length: unknown, count: 5)).length == nil)
        }
        #expect(RequestBody.stream(Counted(length: 5, count: 5)).inMemory == nil)
    }
}
