import CLibevent
import Glibc
import Locking
import Synchronization

/// A Unix signal as an event of a loop.
///
/// The signal's handler only writes to an eventfd, which the loop watches: libevent's own signal events belong
/// to one loop per process. One source per signal at a time. Confined to its loop; `cancel` gives the signal its
/// old disposition back.
public final class SignalSource {
    private let signal: Int32
    private let loop: EventLoop
    private var onSignal: (() -> Void)?
    private var descriptor: Int32 = -1
    private var old = sigaction()
    // Its context is this source, unretained: `loop.members` retains it until the end of the wake of `cancel`.
    private var event: EventHandle?
    private var memberIndex = -1

    /// - Throws: `SocketError` when the signal cannot be handled, or has a source already (`EBUSY`).
    public init(_ signal: Int32, loop: EventLoop, onSignal: @escaping () -> Void) throws(SocketError) {
        loop.preconditionCurrent("a signal source is made on its event loop")
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
                SignalTable.giveBack(signal)
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

    /// A program is born with the signals blocked that its parent's thread had blocked; one thread of it must take them.
    private func unblock() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Ends it, and restores what the signal did before.
    public func cancel() {
        guard descriptor >= 0 else { return }
        sigaction(signal, &old, nil)
        SignalTable.giveBack(signal)
        if let event = event.take() { event.retire(on: loop) }
        Glibc.close(descriptor)
        descriptor = -1
        onSignal = nil
        loop.members.remove(at: memberIndex)
    }

    fileprivate func pending() {
        var count: eventfd_t = 0
        guard eventfd_read(descriptor, &count) == 0 else { return }
        // Signals of one kind that came since the last wake are told one by one: a second SIGTERM counts.
        for _ in 0..<min(count, 16) { onSignal?() }
    }
}

extension SignalSource: LoopMember {
    func loopEnds() {
        cancel()
    }
}

/// Which eventfd stands for which signal: one word each, read by the signal handler.
private enum SignalTable {
    private static let isClaimed = Lock(Set<Int32>())

    /// Initialized by the first `claim`, so that a handler never runs its initializer.
    static let descriptors = InlineArray<65, Atomic<Int32>> { _ in Atomic(-1) }

    static func claim(_ signal: Int32, _ descriptor: Int32) throws(SocketError) {
        guard signal > 0, signal < descriptors.count else {
            throw SocketError(.signal, EINVAL, subject: "\(signal)")
        }
        guard isClaimed.withLock({ $0.insert(signal).inserted }) else {
            throw SocketError(.signal, EBUSY, subject: "\(signal)")
        }
        descriptors[Int(signal)].store(descriptor, ordering: .relaxed)
    }

    static func giveBack(_ signal: Int32) {
        descriptors[Int(signal)].store(-1, ordering: .relaxed)
        _ = isClaimed.withLock { $0.remove(signal) }
    }
}

/// Runs in signal context: nothing but the write, and `errno` as it was.
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
