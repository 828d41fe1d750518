import TestSupport
import Testing

@testable import EventIO

@Suite("Output that waits for its socket")
struct WriteQueueTests {
    /// All waiting bytes in order.
    private static func bytes(of queue: WriteQueue) -> [UInt8] { queue.waiting.flatMap { $0 } }

    private static func copy(_ bytes: [UInt8], to queue: inout WriteQueue) {
        bytes.withUnsafeBytes { queue.append(copyOf: $0) }
    }

    @Test("Copies of short rests fill the room of the block before them")
    func sharesBlocks() {
        var queue = WriteQueue()
        let rests = (0..<6).map { testBytes(5000 + $0) }
        for rest in rests { Self.copy(rest, to: &queue) }
        #expect(Self.bytes(of: queue) == rests.flatMap { $0 })
        #expect(queue.byteCount == 30_015)
        #expect(queue.waiting.count <= 4, "30 KB in blocks of 8 KiB")
    }

    @Test("A long copy is queued in blocks of 32 KiB")
    func splits() {
        var queue = WriteQueue()
        let bytes = testBytes(200_000)
        Self.copy(bytes, to: &queue)
        #expect(Self.bytes(of: queue) == bytes)
        #expect(queue.waiting.allSatisfy { $0.count <= 32 << 10 })
    }

    @Test("A block that is partly sent takes further bytes at its end")
    func afterConsuming() {
        var queue = WriteQueue()
        let first = testBytes(5000)
        Self.copy(first, to: &queue)
        queue.consume(4990)
        Self.copy(utf8("next"), to: &queue)
        #expect(Self.bytes(of: queue) == Array(first[4990...]) + utf8("next"))
        #expect(queue.waiting.count == 1)
        queue.consume(14)
        #expect(queue.isEmpty)
        Self.copy(utf8("again"), to: &queue)
        #expect(Self.bytes(of: queue) == utf8("again"))
    }

    @Test("Bytes are never appended to a slice that its writer may still use")
    func foreignSlices() {
        var queue = WriteQueue()
        var own = testBytes(100)
        own.reserveCapacity(10_000)
        queue.append(own[...])
        Self.copy(utf8("after"), to: &queue)
        #expect(queue.waiting.count == 2)
        #expect(own == testBytes(100))
        #expect(Self.bytes(of: queue) == own + utf8("after"))
    }

    @Test("Bytes that are copied while the queue is being written to a file stay behind what the file holds")
    func whileSpooling() {
        var queue = WriteQueue()
        Self.copy(testBytes(5000), to: &queue)
        let snapshot = queue.waiting
        Self.copy(utf8("more"), to: &queue)
        #expect(snapshot.flatMap { $0 } == testBytes(5000))
        #expect(Self.bytes(of: queue) == testBytes(5000) + utf8("more"))
    }

    @Test("A piece counts as a whole until its last byte is sent, and its rest alone once it is copied")
    func parts() {
        var queue = WriteQueue()
        let pieces = [testBytes(1_000_000)[...], testBytes(100_000, from: 3)[...]]
        queue.append(pieces, skipping: 10)
        #expect(queue.byteCount == 1_099_990)
        #expect(queue.residentByteCount == 1_100_000)
        queue.consume(999_000)
        #expect(queue.byteCount == 100_990)
        #expect(queue.residentByteCount == 1_100_000)
        let rest = Self.bytes(of: queue)
        queue.compact()
        #expect(queue.byteCount == 100_990)
        #expect(queue.residentByteCount == 100_990)
        #expect(Self.bytes(of: queue) == rest)
        #expect(queue.waiting.allSatisfy { $0.count <= 32 << 10 })
        queue.consume(100_990)
        #expect(queue.isEmpty)
        #expect(queue.residentByteCount == 0)
    }

    @Test("A piece that is sent gives up its bytes although another one follows")
    func next() {
        var queue = WriteQueue()
        queue.append([testBytes(1000)[...], testBytes(500)[...]], skipping: 0)
        queue.consume(1200)
        #expect(queue.byteCount == 300)
        #expect(queue.residentByteCount == 500)
    }
}
