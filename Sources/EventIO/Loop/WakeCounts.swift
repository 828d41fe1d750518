import Glibc
import Metrics
import Synchronization

/// Counts how long a loop works without a look at its sockets.
struct WakeCounts {
    private let busy: Counter
    private let durations: DurationHistogram
    private let timers: Gauge

    init(_ loop: String, _ metrics: MetricTable, _ page: CounterPage) {
        let process = metrics.name()
        busy = process.counter(.loopBusy, [loop], on: page)
        durations = process.histogram(.loopWakeDuration, on: page)
        timers = process.gauge(.loopTimers, [loop], on: page)
    }

    /// - Parameters:
    ///   - nanoseconds: from the first event of a wake to the end of its work.
    ///   - timerCount: the timers that the loop has then.
    @inline(__always)
    func count(_ nanoseconds: Int64, timerCount: Int) {
        busy.add(Int(nanoseconds))
        durations.observe(nanoseconds: nanoseconds)
        timers.set(timerCount)
    }
}

/// The processor time of a thread, for other threads.
final class LoopClock: Sendable {
    /// 0 until the thread has started; no thread has that clock.
    private let clock = Atomic<Int32>(0)

    /// Called on the thread.
    func start() {
        var id = clockid_t()
        if pthread_getcpuclockid(pthread_self(), &id) == 0 { clock.store(id, ordering: .relaxed) }
    }

    /// Nil before the thread starts and after it ends.
    var time: TimeAmount? {
        let id = clock.load(ordering: .relaxed)
        var time = timespec()
        guard id != 0, clock_gettime(id, &time) == 0 else { return nil }
        return TimeAmount(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
