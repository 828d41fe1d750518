import CLibevent
import Glibc
public import Rx
import Synchronization

/// One thread, one `event_base`: everything that waits waits here.
///
/// A loop owns its thread from `run()` until `stop()`. Whatever is bound to a loop (streams, listeners, timers)
/// is touched on that thread only; other threads reach it through `execute`. A loop is also the executor of
/// actors and tasks that ask for it, and the scheduler of reactive pipelines.
///
/// `@unchecked Sendable` is sound: `queue`, `remoteTimers` and `thread` may be used from any thread; every other stored
/// property is touched only on the loop's thread, between `run()` and its return (and in `init` and `deinit`,
/// when nobody else has a reference).
public final class EventLoop: @unchecked Sendable {
    /// A name for messages and the thread, at most 15 bytes of it.
    public let name: String

    /// What `read` fills. Valid for one call; 64 KiB, as much as a socket's receive buffer usually holds.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)

    /// What TLS decrypts into, for one call. Made when it is first needed.
    var plain: UnsafeMutableRawBufferPointer {
        if let room = plainRoom { return room }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)
        plainRoom = room
        return room
    }
    private var plainRoom: UnsafeMutableRawBufferPointer?

    /// What streams wrote in this wake.
    let outbox = Outbox()

    let queue: RemoteQueue
    let remoteTimers = RemoteTimers()
    private let thread = Atomic<UInt>(0)

    /// Made by `event_base_new_with_config` in `init`, freed by `event_base_free` in `deinit`: a loop that has
    /// something registered is referred to by it.
    let base: OpaquePointer
    private var wakeEvent: EventHandle?
    private var timerEvent: EventHandle?

    private var wheel: TimerWheel
    private var armedTick = TimerWheel.Tick.max
    /// Timers that come so late mean that the process or the loop stood still. What came to the sockets meanwhile is read
    /// before anybody is told that its time is over: epoll_wait(2) gives EINTR and no events after a SIGSTOP (signal(7)).
    static let standstill = TimeAmount.milliseconds(100)
    /// Looks at the sockets before late timers: libevent takes 32 events at the first, twice as many at the next.
    private static let lateLookLimit = 8
    private var lateLooks = 0
    private var cachedNow = MonotonicTime(nanoseconds: 0)
    private var nowIsFresh = false

    private var hasRemoteWork = false
    private var remoteWork: [Work] = []
    private var localWork: [Work] = []
    private var runningWork: [Work] = []
    private var deferred: [any DeferredWork] = []
    private var runningDeferred: [any DeferredWork] = []
    private var writers: [any DeferredWork] = []
    private var runningWriters: [any DeferredWork] = []
    private var retiredEvents: [OpaquePointer] = []
    private var stopRequested = false

    /// `wallOffset`, which all loops have alike: kept here, so that the clock asks nobody.
    let wallOffset = EventLoop.wallOffset

    /// How often it woke, to tell a loop that spins from one that waits.
    public private(set) var wakeCount: Int64 = 0
    var members = LoopMembers()
    private(set) lazy var quietStreams = QuietStreams(self)
    private(set) lazy var memoryReturn = MemoryReturn(self)

    public init(name: String = "loop") throws(SocketError) {
        self.name = name
        queue = try RemoteQueue()
        // No lock: only the loop's thread touches the base. No precise timer: it would cost a timerfd call a
        // wait, and no limit of ours is finer than the millisecond of epoll_wait.
        guard let config = event_config_new() else { throw SocketError(.eventBase, errno) }
        defer { event_config_free(config) }
        event_config_set_flag(config, Int32(EVENT_BASE_FLAG_NOLOCK.rawValue))
        event_config_set_flag(config, Int32(EVENT_BASE_FLAG_IGNORE_ENV.rawValue))
        event_config_require_features(config, Int32(EV_FEATURE_ET.rawValue | EV_FEATURE_EARLY_CLOSE.rawValue))
        guard let base = event_base_new_with_config(config) else { throw SocketError(.eventBase, errno) }
        self.base = base
        wheel = TimerWheel(now: .clock())
        // Not retained: both events are freed before the loop is.
        let context = Unmanaged.passUnretained(self).toOpaque()
        wakeEvent = EventHandle(
            base, queue.descriptor, EV_READ | EV_ET | EV_PERSIST, remoteWorkArrived, context)
        timerEvent = EventHandle(base, -1, 0, timerWheelDue, context)
        wakeEvent?.add()
    }

    deinit {
        wakeEvent = nil
        timerEvent = nil
        event_base_free(base)
        scratch.deallocate()
        plainRoom?.deallocate()
    }

    // MARK: Running

    /// Runs the loop on the calling thread until `stop()`. Once only.
    public func run() {
        let claimed = thread.compareExchange(
            expected: 0, desired: UInt(pthread_self()), ordering: .relaxed)
        precondition(claimed.exchanged, "the event loop \(name) was run twice")
        CurrentLoop.set(self)
        while !stopRequested {
            runOnce()
        }
        nowIsFresh = false
        finish()
        CurrentLoop.set(nil)
        thread.store(.max, ordering: .relaxed)
    }

    /// Ends `run()` once what was executed before is done. From any thread.
    public func stop() {
        execute { self.stopRequested = true }
    }

    private func runOnce() {
        let isIdle = localWork.isEmpty && deferred.isEmpty && writers.isEmpty
        nowIsFresh = false
        event_base_loop(base, isIdle ? EVLOOP_ONCE : EVLOOP_ONCE | EVLOOP_NONBLOCK)
        wakeCount &+= 1
        runPendingWork()
    }

    private func runPendingWork() {
        if !deferred.isEmpty { runDeferred() }
        if hasRemoteWork {
            hasRemoteWork = false
            queue.take(into: &remoteWork)
            for work in remoteWork { perform(work) }
            remoteWork.removeAll(keepingCapacity: true)
        }
        if !localWork.isEmpty {
            swap(&localWork, &runningWork)
            for work in runningWork { perform(work) }
            runningWork.removeAll(keepingCapacity: true)
        }
        if !retiredEvents.isEmpty {
            for event in retiredEvents { event_free(event) }
            retiredEvents.removeAll(keepingCapacity: true)
        }
        outbox.sendAll()
        if !writers.isEmpty { runWriters() }
        members.forgetClosed()
    }

    /// What it makes others write goes out before the loop waits.
    private func runWriters() {
        swap(&writers, &runningWriters)
        for writer in runningWriters { writer.runDeferred() }
        runningWriters.removeAll(keepingCapacity: true)
        outbox.sendAll()
    }

    private func runDeferred() {
        swap(&deferred, &runningDeferred)
        for work in runningDeferred { work.runDeferred() }
        runningDeferred.removeAll(keepingCapacity: true)
    }

    /// Closes what is still open, refuses work from here on, and runs what was accepted before. Work that makes
    /// more work for ever is cut off.
    private func finish() {
        for member in members.open { member.loopEnds() }
        queue.close()
        hasRemoteWork = true
        var rounds = 0
        repeat {
            runPendingWork()
            for member in members.open { member.loopEnds() }
            rounds += 1
        } while (!localWork.isEmpty || !deferred.isEmpty || !writers.isEmpty) && rounds < 10_000
        quietStreams.forgetAll()
        let targets = wheel.removeAll()
        withExtendedLifetime(targets) {}
    }

    private func perform(_ work: Work) {
        switch work {
        case .closure(let closure): closure()
        case .job(let job): runJob(job)
        }
    }

    // MARK: Work

    /// The loop whose thread this is.
    public static var current: EventLoop? { CurrentLoop.get() }

    /// Whether the calling thread is the loop's.
    public var isCurrent: Bool {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Stops the program when called on another thread than the loop's.
    public func preconditionCurrent(_ what: StaticString = "must be called on its event loop") {
        precondition(isCurrent, "\(what)")
    }

    /// Runs `work` on the loop, after what is being handled now. From any thread; work of one thread runs in
    /// order. Work given before `run()` waits for it.
    ///
    /// - Returns: false when the loop has ended; the work is dropped.
    @discardableResult
    public func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
        enqueue(.closure(work))
    }

    @discardableResult
    func enqueue(_ work: Work) -> Bool {
        guard isCurrent else { return queue.append(work) }
        localWork.append(work)
        return true
    }

    /// Runs it after the callbacks of this wake, which keeps it until then. Allocates nothing. On the loop only.
    public func `defer`(_ work: any DeferredWork) {
        deferred.append(work)
    }

    /// Runs it once the kernel was offered what this wake wrote, and keeps it until then. Allocates nothing. On the loop
    /// only.
    public func afterWrites(_ work: any DeferredWork) {
        writers.append(work)
    }

    func freeAfterWake(_ event: OpaquePointer) {
        retiredEvents.append(event)
    }

    fileprivate func remoteWorkIsWaiting() {
        hasRemoteWork = true
    }

    // MARK: Time

    /// The monotonic time, read once per wake of the loop. On another thread, the clock itself.
    public var now: MonotonicTime { isCurrent ? wakeTime : .clock() }

    /// The same for those who are on the loop, as all that is confined to it: nobody asks what thread this is.
    @inline(__always)
    public var wakeTime: MonotonicTime {
        assert(isCurrent, "the time of a wake is for its event loop")
        return nowIsFresh ? cachedNow : readClock()
    }

    @inline(never)
    private func readClock() -> MonotonicTime {
        cachedNow = .clock()
        nowIsFresh = true
        return cachedNow
    }

    /// Calls `target` once, at `deadline` or up to some 5 ms later, unless cancelled before. The target is
    /// retained until then. On the loop only; allocates nothing and calls nothing in the usual case.
    public func setTimer(at deadline: MonotonicTime, target: any TimerTarget) -> TimerToken {
        assert(isCurrent, "timers are set on their event loop")
        let (token, due) = wheel.set(at: deadline, target: target)
        if due < armedTick { arm(at: due) }
        return token
    }

    /// The same for a time from now. At once, after the present callbacks, where it is zero or less.
    public func setTimer(after amount: TimeAmount, target: any TimerTarget) -> TimerToken {
        setTimer(at: now + amount, target: target)
    }

    @_disfavoredOverload
    public func setTimer(after duration: Duration, target: any TimerTarget) -> TimerToken {
        setTimer(at: now + TimeAmount(duration), target: target)
    }

    /// Cancels a timer; nothing happens when it has fired or was cancelled. At once on the loop; from another
    /// thread a moment later.
    public func cancelTimer(_ token: TimerToken) {
        guard !RemoteTimers.owns(token) else { return remoteTimers.cancel(token, on: self) }
        guard isCurrent else {
            execute { self.cancelTimer(token) }
            return
        }
        let target = wheel.cancel(token)
        withExtendedLifetime(target) {}
    }

    /// The timers that are set, for tests and metrics.
    public var timerCount: Int { wheel.count }

    private func arm(at tick: TimerWheel.Tick) {
        armedTick = tick
        timerEvent?.add(after: TimerWheel.time(of: tick) - now)
    }

    /// The one libevent timer came. It is armed lazily: most often what it was armed for is cancelled by now,
    /// and this only looks where the next timer is.
    fileprivate func timersAreDue() {
        if now - TimerWheel.time(of: armedTick) > Self.standstill, lateLooks < Self.lateLookLimit {
            lateLooks += 1
            timerEvent?.add(after: .zero)
            return
        }
        lateLooks = 0
        armedTick = .max
        wheel.advance(to: now)
        // As many as there are now: a timer that sets itself at once does not keep the loop to itself.
        var left = wheel.count
        while left > 0, let (target, token) = wheel.takeDue() {
            target.timerFired(token)
            left -= 1
        }
        if let tick = wheel.nextTick, tick < armedTick { arm(at: tick) }
    }
}

/// Something a loop runs after the callbacks of a wake, without a closure.
public protocol DeferredWork: AnyObject {
    func runDeferred()
}

private func remoteWorkArrived(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().remoteWorkIsWaiting()
}

private func timerWheelDue(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().timersAreDue()
}
