import Glibc
import Rx
import Synchronization

@main
enum Main {
    static func main() {
        let filter = CommandLine.arguments.dropFirst().first
        if CommandLine.arguments.count == 4, CommandLine.arguments[2] == "--once",
            let count = Int(CommandLine.arguments[3])
        {
            // For instruction counts: run once under callgrind with two counts, and take the difference.
            for row in rows where filter.map({ row.name.contains($0) }) ?? true { row.run(count) }
            return
        }
        AllocationCounter.install()
        print(
            "operation                                          ns    at most   allocations  at most   leaked"
        )
        var isWithin = true
        for row in rows where filter.map({ row.name.contains($0) }) ?? true {
            isWithin = row.measure() && isWithin
        }
        exit(isWithin ? 0 : 1)
    }
}

/// One operation, and what the design allows it to cost.
struct Row: Sendable {
    let name: String
    let mostNanoseconds: Int
    let mostAllocations: Int
    /// Does it `count` times.
    let run: @Sendable (_ count: Int) -> Void

    /// Prints the median of nine runs. Whether the allocations, which do not vary, are within their limit.
    func measure() -> Bool {
        run(1_000)
        let count = 20_000
        var times: [Int] = []
        var allocations = 0
        var leaked = 0
        for _ in 0..<9 {
            let taken = AllocationCounter.taken
            let live = AllocationCounter.live
            let start = nanoseconds()
            run(count)
            times.append(nanoseconds() - start)
            allocations = AllocationCounter.taken - taken
            leaked = AllocationCounter.live - live
        }
        let median = times.sorted()[4] / count
        let perOperation = (allocations * 10 + count / 2) / count
        let isWithin = perOperation <= mostAllocations * 10
        print(
            pad(name, 48), pad(median, 6), pad(mostNanoseconds, 8),
            pad("\(perOperation / 10).\(perOperation % 10)", 10, right: true), pad(mostAllocations, 9),
            pad(leaked, 8), isWithin && leaked < 32 ? "" : "  <- over")
        return isWithin && leaked < 32
    }
}

/// The time this thread has computed: other work on the machine counts less than on the clock.
func nanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

func pad(_ text: String, _ width: Int, right: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return right ? space + text : text + space
}

func pad(_ number: Int, _ width: Int) -> String {
    pad(String(number), width, right: true)
}

/// Takes a value so that the work for it cannot be removed.
let sink = Atomic<Int>(0)

func consume(_ value: Int) {
    sink.store(value, ordering: .relaxed)
}
