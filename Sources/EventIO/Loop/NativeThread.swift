import Glibc
import Locking

/// A POSIX thread that runs a closure. `Foundation.Thread` would link all of Foundation.
package final class NativeThread: Sendable {
    private final class Work {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// nil once joined.
    private let thread: Lock<pthread_t?>

    /// Runs `body` on a new thread that can be joined. Parameters and errors are as in `start`.
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(SocketError) {
        thread = Lock(try Self.create(PTHREAD_CREATE_JOINABLE, name, body))
    }

    deinit {
        thread.withLock { if let thread = $0 { pthread_detach(thread) } }
    }

    /// Waits until the thread has ended and has freed all that it held. Further calls wait for the same.
    package func join() {
        thread.withLock {
            if let thread = $0 { pthread_join(thread, nil) }
            $0 = nil
        }
    }

    /// Runs `body` on a new thread, which ends when it returns. Debuggers and `top -H` show up to 15 bytes of
    /// `name`. Throws when the system refuses another thread.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(SocketError) {
        _ = try create(PTHREAD_CREATE_DETACHED, name, body)
    }

    private static func create(
        _ state: Int, _ name: String, _ body: @escaping @Sendable () -> Void
    ) throws(SocketError) -> pthread_t {
        // Retained here, released by the new thread.
        let work = Unmanaged.passRetained(Work(name: name, body: body))
        var thread = pthread_t()
        // Uninitialized memory, because the type's initializer belongs to the module Swift imported it into
        // first.
        let code = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { room -> Int32 in
            guard let attributes = room.baseAddress else { return ENOMEM }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setdetachstate(attributes, Int32(state))
            return pthread_create(&thread, attributes, threadBegins, work.toOpaque())
        }
        guard code == 0 else {
            work.release()
            throw SocketError(.thread, code, subject: name)
        }
        return thread
    }

    fileprivate static func run(_ context: UnsafeMutableRawPointer) {
        let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
        setName(work.name)
        blockFileSizeSignal()
        work.body()
    }

    /// Makes a write beyond RLIMIT_FSIZE fail with EFBIG. By default SIGXFSZ kills the process.
    private static func blockFileSizeSignal() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGXFSZ)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Swift does not import glibc's `pthread_setname_np`.
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
