import CLibevent
private import CLinux
package import Dispatch
import Glibc
import Synchronization

/// The thread on which the process began. It serves the main queue, on which `MainScheduler` and the main
/// actor run their work.
package enum MainThread {
    /// The waits of the main thread that serve the main queue.
    private static let waits = Atomic<Int>(0)

    /// Whether the main thread serves the main queue while it waits.
    package static var isServing: Bool { waits.load(ordering: .relaxed) > 0 }

    /// Blocks until everything has left `group`.
    ///
    /// The main thread runs the work of the main queue meanwhile. Within such work it only waits, because the
    /// queue runs one piece of work at a time. Other threads only wait, too.
    package static func wait(for group: DispatchGroup) {
        // libdispatch stops the program if another thread serves its main queue.
        let queue = linux_is_main_thread() != 0 ? linux_main_queue_descriptor() : -1
        guard queue >= 0, let end = EndOfWait() else { return group.wait() }
        group.notify(queue: .global()) { end.signal() }
        waits.add(1, ordering: .relaxed)
        defer { waits.subtract(1, ordering: .relaxed) }
        var descriptors = [queue, end.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            guard poll(&descriptors, nfds_t(descriptors.count), -1) >= 0 else {
                if errno == EINTR { continue }
                return group.wait()
            }
            if descriptors[1].revents != 0 { return }
            if descriptors[0].revents != 0 { serve(queue) }
        }
    }

    /// Runs the work that is on the main queue now.
    private static func serve(_ queue: Int32) {
        // Before the work, so that work added meanwhile makes the descriptor readable again.
        var count: eventfd_t = 0
        eventfd_read(queue, &count)
        linux_serve_main_queue()
    }

    /// An eventfd that wakes the main thread at the end of its wait. Kept by whoever signals it.
    private final class EndOfWait: Sendable {
        let descriptor: Int32

        /// Nil if no descriptor is left.
        init?() {
            descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
            guard descriptor >= 0 else { return nil }
        }

        deinit {
            if descriptor >= 0 { close(descriptor) }
        }

        func signal() { eventfd_write(descriptor, 1) }
    }
}
