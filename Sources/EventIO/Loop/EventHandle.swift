import CLibevent
import Glibc

/// The file-scope function that libevent calls when an event is active.
typealias EventCallback = @convention(c) (Int32, Int16, UnsafeMutableRawPointer?) -> Void

/// Owns one libevent `event`, created by `event_new`.
///
/// An event must not be freed inside its own callback, so `retire` frees it after the callbacks of the wake.
/// `context` is not retained: whoever creates a handle outlives the event and says why.
struct EventHandle: ~Copyable {
    private let event: OpaquePointer

    /// `descriptor` is -1 for a timer.
    init?(
        _ base: OpaquePointer, _ descriptor: Int32, _ interest: Int32, _ callback: EventCallback,
        _ context: UnsafeMutableRawPointer
    ) {
        guard let event = event_new(base, descriptor, Int16(interest), callback, context) else { return nil }
        self.event = event
    }

    deinit {
        event_free(event)
    }

    /// Registers the event, with one `epoll_ctl` if it watches a descriptor. Returns false if the kernel
    /// refuses.
    @discardableResult
    borrowing func add() -> Bool {
        event_add(event, nil) == 0
    }

    /// Starts the timer, or changes its time.
    borrowing func add(after amount: TimeAmount) {
        let nanoseconds = max(0, amount.nanoseconds)
        var interval = timeval(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_usec: Int(nanoseconds % 1_000_000_000 / 1_000))
        event_add(event, &interval)
    }

    /// Stops watching. A callback that is already due is not called.
    borrowing func remove() {
        event_del(event)
    }

    /// Stops watching now and frees the event at the end of the wake.
    consuming func retire(on loop: EventLoop) {
        event_del(event)
        loop.freeAfterWake(event)
        discard self
    }
}
