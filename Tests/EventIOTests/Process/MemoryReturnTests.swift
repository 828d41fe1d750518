import TestSupport
import Testing

@testable import EventIO

@Suite("Return of memory", .timeLimit(.minutes(1)))
struct MemoryReturnTests {
    /// Gives out blocks. Each takes a millisecond, and another to free.
    private final class Blocks {
        private(set) var sizes: [Int] = []
        private(set) var time = Duration.zero
        private(set) var held = 0

        var heap: FreeSpans.Heap {
            FreeSpans.Heap(
                allocate: { [self] size in
                    sizes.append(size)
                    time += .milliseconds(1)
                    held += 1
                    return UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
                },
                free: { [self] block in
                    time += .milliseconds(1)
                    held -= 1
                    block.deallocate()
                })
        }
    }

    @Test("Each turn goes on where the last one ended, until all sizes had their blocks and all are freed")
    func turns() {
        let blocks = Blocks()
        let spans = FreeSpans(blocks.heap, residentMemory: 20 << 20)
        var turns = 1
        while !spans.proceed(for: .milliseconds(20), { blocks.time }), turns < 100 { turns += 1 }
        let kibibytes = [(8192, 2), (4096, 5), (2048, 10), (1024, 20), (512, 40), (256, 80)]
        #expect(blocks.sizes == kibibytes.flatMap { Array(repeating: $0.0 << 10, count: $0.1) })
        #expect(blocks.held == 0)
        #expect(turns == 2 * 157 / 20 + 1)
    }

    @Test("The blocks are freed if the work is given up, because memory is in use again")
    func givenUp() {
        let blocks = Blocks()
        var spans: FreeSpans? = FreeSpans(blocks.heap, residentMemory: 20 << 20)
        #expect(spans?.proceed(for: .milliseconds(7), { blocks.time }) == false)
        #expect(blocks.held == 7)
        spans = nil
        #expect(blocks.held == 0)
    }

    @Test("A turn ends after its time of work, however long other threads keep it waiting")
    func othersWork() {
        let blocks = Blocks()
        var heap = blocks.heap
        let allocate = heap.allocate
        heap.allocate = { size in
            #expect(throws: Never.self) { try waitWhileAnotherWorks(for: .milliseconds(60)) }
            return allocate(size)
        }
        // Others work for 180 ms.
        let spans = FreeSpans(heap, residentMemory: 512 << 10)
        #expect(spans.proceed(for: .milliseconds(100)))
        #expect(blocks.sizes == [512 << 10, 256 << 10, 256 << 10])
    }
}
