import CLibevent
import Glibc

/// What libevent calls when an event is active: a file-scope function of the event's owner.
typealias EventCallback = @convention(c) (Int32, Int16, UnsafeMutableRawPointer?) -> Void

/// The owner of one libevent `event`.
///
/// Made by `event_new` here; freed by `retire`, after the callbacks of the present wake have returned, since an
/// event must not be freed inside its own callback. `context` is not retained: the owner of the handle outlives
/// the event, and says so where it makes one.
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

    /// Registers it (one `epoll_ctl` where it watches a descriptor). False when the kernel refused.
    @discardableResult
    borrowing func add() -> Bool {
        event_add(event, nil) == 0
    }

    /// Registers a timer, or moves it.
    borrowing func add(after amount: TimeAmount) {
        let nanoseconds = max(0, amount.nanoseconds)
        var interval = timeval(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_usec: Int(nanoseconds % 1_000_000_000 / 1_000))
        event_add(event, &interval)
    }

    /// Takes it out; a callback that was about to come does not come.
    borrowing func remove() {
        event_del(event)
    }

    /// Takes it out now and frees it when the present wake is over.
    consuming func retire(on loop: EventLoop) {
        event_del(event)
        loop.freeAfterWake(event)
        discard self
    }
}
