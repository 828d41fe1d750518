import Glibc

/// A thread of the operating system's, as a closure. (Foundation's would bring all of Foundation along.)
enum NativeThread {
    private final class Work {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs `body` on a new thread, which ends with it.
    ///
    /// - Parameter name: what debuggers and `top -H` show, at most 15 bytes of it.
    /// - Throws: where the system has no more threads to give (a limit of processes).
    static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(SocketError) {
        // Retained here, released by the thread as it begins.
        let work = Unmanaged.passRetained(Work(name: name, body: body))
        // In memory of its own: its initializer is a part of whichever module Swift met it in first.
        let code = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { room -> Int32 in
            guard let attributes = room.baseAddress else { return ENOMEM }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            var thread = pthread_t()
            return pthread_create(&thread, attributes, threadBegins, work.toOpaque())
        }
        guard code == 0 else {
            work.release()
            throw SocketError(.thread, code, subject: name)
        }
    }

    fileprivate static func run(_ context: UnsafeMutableRawPointer) {
        let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
        setName(work.name)
        blockFileSizeSignal()
        work.body()
    }

    /// By default a write beyond RLIMIT_FSIZE ends the process with SIGXFSZ. With the signal blocked the write fails with EFBIG.
    private static func blockFileSizeSignal() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// glibc's call for it is not among those that Swift imports.
    private static func setName(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        let bytes = Array(name.utf8.prefix(15))
        _ = write(file, bytes, bytes.count)
        close(file)
    }
}

private func threadBegins(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { NativeThread.run(context) }
    return nil
}
