import Dispatch
import Glibc
import Synchronization

/// Keeps a fixed number of calls in flight. The first calls, which open the connections, are not counted.
final class Rounds: Sendable {
    let inFlight: Int
    private let length: Int
    private let warmUp: Int
    private let total: Int
    private let begun = Atomic(0)
    private let ended = Atomic(0)
    private let start = Mutex(Usage())
    private let done = DispatchSemaphore(value: 0)

    init(count: Int, inFlight: Int, length: Int) {
        self.inFlight = inFlight
        self.length = length
        warmUp = 10 * inFlight
        total = warmUp + count
    }

    /// - Parameter call: Makes one call and passes the length of its body to `next`.
    func start(_ call: @escaping @Sendable (_ next: @escaping @Sendable (Int) -> Void) -> Void) {
        for _ in 0..<inFlight { begin(call) }
    }

    private func begin(_ call: @escaping @Sendable (@escaping @Sendable (Int) -> Void) -> Void) {
        guard begun.add(1, ordering: .relaxed).newValue <= total else { return }
        call { [self] length in
            guard length == self.length else { fail("wrong body length: \(length)") }
            let count = ended.add(1, ordering: .relaxed).newValue
            if count == warmUp { start.withLock { $0 = Usage() } }
            if count == total { finish() }
            begin(call)
        }
    }

    private func finish() {
        let (cpu, seconds) = start.withLock { Usage().since($0) }
        let count = Double(total - warmUp)
        print(cpu / count * 1e6, count / seconds)
        done.signal()
    }

    func wait() { done.wait() }
}

/// The CPU time of the process, in user space and kernel, and the clock.
struct Usage {
    private let cpu: Double
    private let clock = ContinuousClock.now

    init() {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        cpu =
            Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    func since(_ start: Usage) -> (cpu: Double, seconds: Double) {
        (cpu - start.cpu, (clock - start.clock) / .seconds(1))
    }
}

func fail(_ complaint: String) -> Never {
    let text = "ClientBench: \(complaint)\n"
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(1)
}
