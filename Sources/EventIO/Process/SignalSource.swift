import CLibevent
import Glibc
import Locking
import Synchronization

/// Delivers a Unix signal on a loop. Used on that loop only. There may be one source per signal at a time.
///
/// The handler only writes to an eventfd that the loop watches: libevent's signal events support one loop per
/// process.
public final class SignalSource {
    private let signal: Int32
    private let loop: EventLoop
    private var onSignal: (() -> Void)?
    private var descriptor: Int32 = -1
    private var old = sigaction()
    // Its unretained context is this source, which `loop.members` retains to the end of the wake that cancels
    // it.
    private var event: EventHandle?
    private var memberIndex = -1

    /// - Throws: `SocketError` when the signal cannot be handled, or already has a source (`EBUSY`).
    public init(_ signal: Int32, loop: EventLoop, onSignal: @escaping () -> Void) throws(SocketError) {
        loop.preconditionCurrent("a signal source must be created on its event loop")
        self.signal = signal
        self.loop = loop
        self.onSignal = onSignal
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw SocketError(.eventDescriptor, errno) }
        do throws(SocketError) {
            try SignalTable.claim(signal, descriptor)
            var action = sigaction()
            action.__sigaction_handler.sa_handler = signalArrived
            action.sa_flags = SA_RESTART
            guard sigaction(signal, &action, &old) == 0 else {
                let code = errno
                SignalTable.release(signal)
                throw SocketError(.signal, code, subject: "\(signal)")
            }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        unblock()
        memberIndex = loop.members.insert(self)
        event = EventHandle(
            loop.base, descriptor, EV_READ | EV_PERSIST, signalIsPending,
            Unmanaged.passUnretained(self).toOpaque())
        event?.add()
    }

    /// A process inherits blocked signals from its parent's thread. One thread must accept this signal.
    private func unblock() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Stops delivering the signal, and restores its previous disposition.
    public func cancel() {
        guard descriptor >= 0 else { return }
        sigaction(signal, &old, nil)
        SignalTable.release(signal)
        if let event = event.take() { event.retire(on: loop) }
        Glibc.close(descriptor)
        descriptor = -1
        onSignal = nil
        loop.members.remove(at: memberIndex)
    }

    fileprivate func pending() {
        var count: eventfd_t = 0
        guard eventfd_read(descriptor, &count) == 0 else { return }
        // Deliver each signal since the last wake: a second SIGTERM counts.
        for _ in 0..<min(count, 16) { onSignal?() }
    }
}

extension SignalSource: LoopMember {
    func loopEnds() {
        cancel()
    }
}

private enum SignalTable {
    private static let claimed = Lock(Set<Int32>())

    /// Initialized by the first `claim`, so that a signal handler never does it.
    static let descriptors = InlineArray<65, Atomic<Int32>> { _ in Atomic(-1) }

    static func claim(_ signal: Int32, _ descriptor: Int32) throws(SocketError) {
        guard signal > 0, signal < descriptors.count else {
            throw SocketError(.signal, EINVAL, subject: "\(signal)")
        }
        guard claimed.withLock({ $0.insert(signal).inserted }) else {
            throw SocketError(.signal, EBUSY, subject: "\(signal)")
        }
        descriptors[Int(signal)].store(descriptor, ordering: .relaxed)
    }

    static func release(_ signal: Int32) {
        descriptors[Int(signal)].store(-1, ordering: .relaxed)
        _ = claimed.withLock { $0.remove(signal) }
    }
}

/// Runs in signal context, so it only writes, and preserves `errno`.
private func signalArrived(_ signal: Int32) {
    let saved = errno
    let descriptor = SignalTable.descriptors[Int(signal)].load(ordering: .relaxed)
    if descriptor >= 0 {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }
    errno = saved
}

private func signalIsPending(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<SignalSource>.fromOpaque(context).takeUnretainedValue().pending()
}
