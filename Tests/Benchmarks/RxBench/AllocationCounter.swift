import Foundation
import Glibc

/// Counts heap allocations by a small C library that is built with the system's compiler and preloaded: the
/// benchmark starts itself again under it.
enum AllocationCounter {
    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stddef.h>
        extern void *__libc_malloc(size_t); extern void *__libc_calloc(size_t, size_t);
        extern void *__libc_realloc(void *, size_t); extern void *__libc_memalign(size_t, size_t);
        extern void __libc_free(void *);
        static long taken, freed; // one thread measures: an atomic count would cost what it counts
        long counted_taken(void) { return taken; }
        long counted_freed(void) { return freed; }
        void *malloc(size_t n) { taken++; return __libc_malloc(n); }
        void *calloc(size_t n, size_t m) { taken++; return __libc_calloc(n, m); }
        void *realloc(void *p, size_t n) { taken++; if (p) freed++; return __libc_realloc(p, n); }
        void *memalign(size_t a, size_t n) { taken++; return __libc_memalign(a, n); }
        void *aligned_alloc(size_t a, size_t n) { taken++; return __libc_memalign(a, n); }
        int posix_memalign(void **p, size_t a, size_t n) { taken++; *p = __libc_memalign(a, n); return *p ? 0 : 12; }
        void free(void *p) { if (p) { freed++; __libc_free(p); } }
        """

    private typealias Counter = @convention(c) () -> Int

    private static func counter(_ name: String) -> Counter? {
        dlsym(nil, name).map { unsafeBitCast($0, to: Counter.self) }
    }

    private static let takenCounter = counter("counted_taken")
    private static let freedCounter = counter("counted_freed")

    static var taken: Int { takenCounter?() ?? 0 }
    static var live: Int { taken - (freedCounter?() ?? 0) }

    /// Replaces this process with one that counts; returns in that one, or when no C compiler is there.
    static func install() {
        guard takenCounter == nil, getenv("RXBENCH_COUNTED") == nil else { return }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("rxbench-\(getpid())")
        let library = folder.appendingPathComponent("counter.so").path
        let code = folder.appendingPathComponent("counter.c").path
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try source.write(toFile: code, atomically: true, encoding: .utf8)
            let compiler = Process()
            compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            compiler.arguments = ["cc", "-O2", "-shared", "-fPIC", "-o", library, code]
            try compiler.run()
            compiler.waitUntilExit()
            guard compiler.terminationStatus == 0 else {
                print("no C compiler: allocations are not counted")
                return
            }
        } catch {
            print("allocations are not counted: \(error)")
            return
        }
        setenv("LD_PRELOAD", library, 1)
        setenv("RXBENCH_COUNTED", "1", 1)
        var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
        arguments.append(nil)
        execv("/proc/self/exe", arguments)
    }
}
