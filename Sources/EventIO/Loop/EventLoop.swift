import CLibevent
import FoundationEssentials
import Glibc
import Locking
public import Metrics
import Synchronization
public import Timers

/// A thread's `event_base`, which handles sockets, timers and work from other threads.
///
/// A loop owns its thread from `run()` until `stop()`. Streams, listeners and timers belong to one loop and
/// are used on its thread only; other threads reach it through `execute`.
///
/// `@unchecked Sendable`: any thread may use `queue`, `remoteTimers` and `thread`; everything else is used on
/// the loop's thread only, or in `init` and `deinit`.
public final class EventLoop: @unchecked Sendable {
    /// A name for messages. The thread gets its first 15 bytes.
    public let name: String
    /// The place among the loops of its group.
    public let index: Int

    /// The metrics of the process, or of the loops that were made together.
    public let metrics: MetricTable
    /// Where this loop counts.
    public let page: CounterPage
    private let wakeCounts: WakeCounts
    private let processorClock = LoopClock()

    /// The buffer that sockets are read into, valid for one call. A socket's receive buffer holds about 64
    /// KiB; what is kept of a read fits a block.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: BlockSize.read, alignment: 16)

    /// The buffer that TLS decrypts into, valid for one call. Allocated on first use.
    var plaintext: UnsafeMutableRawBufferPointer {
        if let room = plaintextStorage { return room }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: BlockSize.read, alignment: 16)
        plaintextStorage = room
        return room
    }
    private var plaintextStorage: UnsafeMutableRawBufferPointer?

    let outbox = Outbox()

    let queue: RemoteQueue
    let remoteTimers = RemoteTimers()
    private let thread = Atomic<UInt>(0)

    /// Created in `init`, freed in `deinit`. Whatever registers an event on it keeps the loop alive.
    let base: OpaquePointer
    private var wakeEvent: EventHandle?
    private var timerEvent: EventHandle?

    private var wheel: TimerWheel
    private var armedTick = TimerWheel.Tick.max
    /// Timers this late mean that the process or the loop was stopped. The loop then reads its sockets before
    /// it fires them, so that nothing times out over bytes that have already arrived: after a SIGSTOP
    /// epoll_wait(2) returns EINTR and no events (signal(7)).
    static let standstill = TimeAmount.milliseconds(100)
    /// How often late timers yield to the sockets. libevent takes 32 events the first time and doubles that
    /// each time.
    private static let latePollLimit = 8
    /// Timers this late prove nothing about a peer that did not answer in time. More than `standstill`,
    /// because a busy machine delays timers too.
    static let longStandstill = TimeAmount.milliseconds(250)
    /// Whether the timers that fire now are late by more than `longStandstill`, because the process or the
    /// loop was stopped.
    public private(set) var areTimersLate = false
    private var latePolls = 0
    private var cachedNow = MonotonicTime(nanoseconds: 0)
    private var nowIsFresh = false

    private var hasRemoteWork = false
    private var remoteWork: [Work] = []
    private var localWork: [Work] = []
    private var runningWork: [Work] = []
    /// What a turn had no time for. It is performed before any other work.
    private var remainingWork: [Work] = []
    private var deferred: [any DeferredWork] = []
    private var runningDeferred: [any DeferredWork] = []
    private var writers: [any DeferredWork] = []
    private var runningWriters: [any DeferredWork] = []
    private var retiredEvents: [OpaquePointer] = []
    var turn = LoopTurn()
    private var stopRequested = false

    /// Seconds from the monotonic clock to the time of day, the same for all loops. A copy, which saves a
    /// lazy global access.
    package let wallOffset = EventLoop.commonWallOffset
    private static let commonWallOffset =
        Date().timeIntervalSinceReferenceDate - Double(MonotonicTime.clock().nanoseconds) / 1e9

    /// Counts the wakes, which shows whether a loop spins.
    public private(set) var wakeCount: Int64 = 0
    private var meter: WakeMeter?
    var blocks = BlockWatch()
    var onBlocked: ((TimeAmount, String?) -> Void)?
    var members = LoopMembers()
    private(set) lazy var quietStreams = QuietStreams(self)
    private(set) lazy var memoryReturn = MemoryReturn(self)

    /// Creates a loop, which `run` starts. Throws if the system gives no descriptors.
    public init(name: String = "loop", index: Int = 0, metrics: MetricTable = MetricTable())
        throws(SocketError)
    {
        self.name = name
        self.index = index
        self.metrics = metrics
        page = metrics.makePage()
        wakeCounts = WakeCounts(name, metrics, page)
        queue = try RemoteQueue()
        // No lock: only the loop's thread touches the base. No precise timers: they cost a timerfd call per
        // wait, and no limit of ours is finer than epoll_wait's millisecond.
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
        plaintextStorage?.deallocate()
    }

    // MARK: Running

    /// Runs the loop on the calling thread until `stop()`. Call it once.
    public func run() {
        let claimed = thread.compareExchange(
            expected: 0, desired: UInt(pthread_self()), ordering: .relaxed)
        precondition(claimed.exchanged, "the event loop \(name) was run twice")
        CurrentLoop.set(self)
        processorClock.start()
        NonblockingThread.run {
            while !stopRequested {
                runOnce()
            }
            nowIsFresh = false
            finish()
        }
        CurrentLoop.set(nil)
        thread.store(.max, ordering: .relaxed)
    }

    /// Ends `run()` after the work submitted so far. May be called on any thread.
    public func stop() {
        execute { self.stopRequested = true }
    }

    private func runOnce() {
        let isIdle =
            remainingWork.isEmpty && localWork.isEmpty && deferred.isEmpty && writers.isEmpty && turn.isEmpty
        nowIsFresh = false
        turn.begin()
        blocks.wakeBegan()
        event_base_loop(base, isIdle ? EVLOOP_ONCE : EVLOOP_ONCE | EVLOOP_NONBLOCK)
        wakeCount &+= 1
        let began = wakeTime
        runPendingWork()
        let ended = MonotonicTime.clock()
        wakeCounts.count((ended - began).nanoseconds, timerCount: wheel.count)
        if let time = blocks.wakeEnded(began, at: ended) { onBlocked?(time, nil) }
        meter?.wakeEnded()
    }

    /// The processor time of the loop's thread; nil unless it runs. From any thread.
    public var processorTime: TimeAmount? { processorClock.time }

    /// Returns the longest processor time of a wake since the last call, and measures from the first call on.
    /// Call it on the loop.
    package func takeLongestWake() -> TimeAmount {
        if meter == nil { meter = WakeMeter() }
        return meter?.take() ?? .zero
    }

    private func runPendingWork() {
        if !deferred.isEmpty { runDeferred() }
        // In this order, so that the work from each thread runs in order.
        if !remainingWork.isEmpty {
            swap(&remainingWork, &runningWork)
            perform(&runningWork)
        }
        if remainingWork.isEmpty, hasRemoteWork {
            hasRemoteWork = false
            queue.take(into: &remoteWork)
            perform(&remoteWork)
        }
        if remainingWork.isEmpty, !localWork.isEmpty {
            swap(&localWork, &runningWork)
            perform(&runningWork)
        }
        if !turn.isEmpty { serveWaiting() }
        if !retiredEvents.isEmpty {
            for event in retiredEvents { event_free(event) }
            retiredEvents.clear()
        }
        outbox.sendAll()
        if !writers.isEmpty { runWriters() }
        members.releaseClosed()
    }

    /// Runs the `afterWrites` work, then sends what it wrote before the loop waits.
    private func runWriters() {
        swap(&writers, &runningWriters)
        for writer in runningWriters { writer.runDeferred() }
        runningWriters.clear()
        outbox.sendAll()
    }

    private func runDeferred() {
        swap(&deferred, &runningDeferred)
        for work in runningDeferred { work.runDeferred() }
        runningDeferred.clear()
    }

    /// Closes all members, refuses further work and runs the accepted work, in at most 10 000 rounds.
    private func finish() {
        for member in members.open { member.loopEnds() }
        queue.close()
        hasRemoteWork = true
        var rounds = 0
        repeat {
            runPendingWork()
            for member in members.open { member.loopEnds() }
            rounds += 1
        } while (!remainingWork.isEmpty || !localWork.isEmpty || !deferred.isEmpty || !writers.isEmpty)
            && rounds < 10_000
        quietStreams.forgetAll()
        turn = LoopTurn()
        let targets = wheel.removeAll()
        withExtendedLifetime(targets) {}
    }

    /// Performs work in order, and empties the list. After `LoopTurn.workLength` it leaves the rest for the
    /// next turn, in `remainingWork`.
    private func perform(_ works: inout [Work]) {
        // Usually there is one.
        guard works.count > 1 else {
            if let work = works.popLast() { perform(work) }
            return
        }
        defer { works.clear() }
        let began = MonotonicTime.clock()
        for (index, work) in works.enumerated() {
            perform(work)
            guard index & 1 != 0, index + 1 < works.count, .clock() - began >= LoopTurn.workLength else {
                continue
            }
            remainingWork.append(contentsOf: works[(index + 1)...])
            return
        }
    }

    // MARK: Work

    /// The loop of the calling thread; nil on other threads.
    public static var current: EventLoop? { CurrentLoop.get() }

    /// Whether the calling thread is the loop's.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Runs `work` on the loop after the current callbacks. May be called on any thread and before `run()`.
    /// Work from one thread runs in order. Returns false when the loop has ended and dropped the work.
    @discardableResult
    public func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
        enqueue(.closure(work))
    }

    /// Runs `work` now when called on the loop, else soon.
    package func onLoop(_ work: @escaping @Sendable () -> Void) {
        if isCurrent { work() } else { execute(work) }
    }

    @discardableResult
    func enqueue(_ work: Work) -> Bool {
        guard isCurrent else { return queue.append(work) }
        localWork.append(work)
        return true
    }

    /// Runs `work` after the callbacks of this wake and retains it until then. Does not allocate. Call it on
    /// the loop.
    public func `defer`(_ work: any DeferredWork) {
        deferred.append(work)
    }

    /// Runs `work` after the kernel was offered this wake's writes. Otherwise like `defer`.
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

    /// The monotonic time, read once per wake. Other threads read the clock itself.
    public var now: MonotonicTime { isCurrent ? wakeTime : .clock() }

    /// `now` without the thread check. Call it on the loop.
    @inline(__always)
    public var wakeTime: MonotonicTime {
        assert(isCurrent, "wakeTime must be read on the event loop")
        return nowIsFresh ? cachedNow : readClock()
    }

    @inline(never)
    private func readClock() -> MonotonicTime {
        cachedNow = .clock()
        nowIsFresh = true
        return cachedNow
    }

    /// Calls `target` once, at `deadline` or up to about 5 ms later, and retains it until it fires or is
    /// cancelled. Call it on the loop. Usually neither allocates nor makes a system call.
    public func setTimer(at deadline: MonotonicTime, target: any TimerTarget) -> TimerToken {
        assert(isCurrent, "timers must be set on their event loop")
        let (token, due) = wheel.set(at: deadline, target: target)
        if due < armedTick { arm(at: due) }
        return token
    }

    /// Sets a timer relative to `now`. Zero or less fires right after the current callbacks.
    public func setTimer(after amount: TimeAmount, target: any TimerTarget) -> TimerToken {
        setTimer(at: now + amount, target: target)
    }

    /// Cancels a timer, at once on the loop and soon from another thread. Does nothing if the timer is gone.
    public func cancelTimer(_ token: TimerToken) {
        guard !RemoteTimers.owns(token) else { return remoteTimers.cancel(token, on: self) }
        guard isCurrent else {
            execute { self.cancelTimer(token) }
            return
        }
        let target = wheel.cancel(token)
        withExtendedLifetime(target) {}
    }

    /// The timers that have not fired.
    public var timerCount: Int { wheel.count }

    private func arm(at tick: TimerWheel.Tick) {
        armedTick = tick
        timerEvent?.add(after: TimerWheel.time(of: tick) - now)
    }

    /// Handles libevent's one timer event. It is armed lazily: usually the timer it was armed for has been
    /// cancelled, and this only finds the next one.
    fileprivate func timersAreDue() {
        if now - TimerWheel.time(of: armedTick) > Self.standstill, latePolls < Self.latePollLimit {
            latePolls += 1
            timerEvent?.add(after: .zero)
            return
        }
        latePolls = 0
        areTimersLate = now - TimerWheel.time(of: armedTick) > Self.longStandstill
        armedTick = .max
        wheel.advance(to: now)
        // Only the timers due now, so that a timer that keeps setting itself does not block the loop. Many
        // may be due at the same time: the others fire in the next turns.
        let began = MonotonicTime.clock()
        var left = wheel.count
        while left > 0, let (target, token) = wheel.takeDue() {
            target.timerFired(token)
            left -= 1
            if left & 7 == 0, .clock() - began >= LoopTurn.workLength { break }
        }
        areTimersLate = false
        blocks.otherCodeRan()
        if let tick = wheel.nextTick, tick < armedTick { arm(at: tick) }
    }
}

private func remoteWorkArrived(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().remoteWorkIsWaiting()
}

private func timerWheelDue(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().timersAreDue()
}
