import Foundation
import Glibc

/// Counts heap allocations in a child process with a preloaded C library, so that other measurements are not
/// slowed down.
enum AllocationCounter {
    /// Allocations made and leaked by `operations` runs of a row.
    struct Count {
        let taken: Int
        let leaked: Int

        static let operations = 20_000

        /// Allocations per operation, times ten.
        var tenths: Int { (taken * 10 + Count.operations / 2) / Count.operations }
    }

    enum Failure: Error, CustomStringConvertible {
        case noCompiler
        case unreadable(String)

        var description: String {
            switch self {
            case .noCompiler: "no C compiler"
            case .unreadable(let text): "the counter printed: \(text)"
            }
        }
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <stddef.h>
        extern void *__libc_malloc(size_t); extern void *__libc_calloc(size_t, size_t);
        extern void *__libc_realloc(void *, size_t); extern void *__libc_memalign(size_t, size_t);
        extern void __libc_free(void *);
        static long taken, freed;
        #define UP(counter) __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED)
        long counted_taken(void) { return __atomic_load_n(&taken, __ATOMIC_RELAXED); }
        long counted_freed(void) { return __atomic_load_n(&freed, __ATOMIC_RELAXED); }
        void *malloc(size_t n) { UP(taken); return __libc_malloc(n); }
        void *calloc(size_t n, size_t m) { UP(taken); return __libc_calloc(n, m); }
        void *realloc(void *p, size_t n) { UP(taken); if (p) UP(freed); return __libc_realloc(p, n); }
        void *memalign(size_t a, size_t n) { UP(taken); return __libc_memalign(a, n); }
        void *aligned_alloc(size_t a, size_t n) { UP(taken); return __libc_memalign(a, n); }
        int posix_memalign(void **p, size_t a, size_t n) { UP(taken); *p = __libc_memalign(a, n); return *p ? 0 : 12; }
        void free(void *p) { if (p) { UP(freed); __libc_free(p); } }
        """

    static func measure(_ rows: [Row]) throws -> [Count] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rxbench-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let library = folder.appendingPathComponent("counter.so").path
        let code = folder.appendingPathComponent("counter.c").path
        try source.write(toFile: code, atomically: true, encoding: .utf8)
        let compiled = try Child.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, code])
        guard compiled.status == 0 else { throw Failure.noCompiler }
        return try rows.map { row in
            let counted = try Child.run(
                [Child.program, "--count", row.name], adding: ["LD_PRELOAD": library])
            let numbers = counted.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            guard counted.status == 0, numbers.count == 2 else { throw Failure.unreadable(counted.output) }
            return Count(taken: numbers[0], leaked: numbers[1])
        }
    }

    // MARK: In the counting process

    private typealias Counter = @convention(c) () -> Int

    private static func counter(_ name: String) -> Counter {
        guard let symbol = dlsym(nil, name) else { fail("--count is for internal use") }
        return unsafeBitCast(symbol, to: Counter.self)
    }

    /// Returns the allocations of a warm row: made, then leaked.
    static func measure(_ row: Row) -> String {
        let taken = counter("counted_taken")
        let freed = counter("counted_freed")
        row.run(1_000)
        let before = (taken: taken(), freed: freed())
        row.run(Count.operations)
        let took = taken() - before.taken
        return "\(took) \(took - (freed() - before.freed))"
    }
}
