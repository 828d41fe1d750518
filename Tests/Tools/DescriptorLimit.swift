import Glibc

/// A lower limit of the process's descriptors, for a test that runs in its own process.
///
/// The sanitizers open files when the process exits, so the test restores the limit before.
package struct DescriptorLimit {
    private let usual: rlim_t

    /// Sets a limit. Descriptors that are open stay open.
    package init(_ count: Int) {
        Self.startSymbolizer()
        usual = Self.replace(by: rlim_t(count))
    }

    /// Sets a limit with which `count` descriptors can still be opened, and `spare` ones above them.
    package init(leaving count: Int, and spare: Int = 0) {
        Self.startSymbolizer()
        // Inherited descriptors may leave gaps.
        let free = (0..<count).map { _ in dup(2) }
        for descriptor in free { close(descriptor) }
        usual = Self.replace(by: rlim_t((free.max() ?? 0) + 1) + rlim_t(spare))
    }

    /// Sets the limit that was set before.
    package func restore() {
        _ = Self.replace(by: usual)
    }

    /// - Returns: the limit before.
    private static func replace(by count: rlim_t) -> rlim_t {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let before = limit.rlim_cur
        limit.rlim_cur = count
        precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        return before
    }

    /// Starts the thread sanitizer's symbolizer, which is a process. Without descriptors it cannot start, and
    /// without it no report is suppressed.
    private static func startSymbolizer() {
        #if THREAD_SANITIZER
            typealias Symbolize =
                @convention(c) (
                    UnsafeMutableRawPointer, UnsafePointer<CChar>, UnsafeMutablePointer<CChar>, Int
                ) -> Void
            guard let symbol = dlsym(nil, "__sanitizer_symbolize_pc") else {
                preconditionFailure("the thread sanitizer has no symbolizer")
            }
            let symbolize = unsafeBitCast(symbol, to: Symbolize.self)
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
                guard let start = text.baseAddress else { return }
                symbolize(symbol, "%f", start, text.count)
            }
        #endif
    }
}
