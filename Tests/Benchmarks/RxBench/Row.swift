import Glibc
import Synchronization

/// An operation and the limits of its cost.
struct Row: Sendable {
    let name: String
    /// For information only: times are too noisy to fail the benchmark.
    let mostNanoseconds: Int
    /// nil for rows with several threads, where contention varies.
    let mostInstructions: Int?
    let mostAllocations: Int
    /// Repeats the operation `count` times.
    let run: @Sendable (_ count: Int) -> Void

    init(
        _ name: String, ns: Int, instructions: Int?, allocations: Int,
        run: @escaping @Sendable (_ count: Int) -> Void
    ) {
        self.name = name
        mostNanoseconds = ns
        mostInstructions = instructions
        mostAllocations = allocations
        self.run = run
    }

    /// The median of nine runs.
    func nanoseconds() -> Int {
        // Measures this thread's CPU time, which other load disturbs less than elapsed time. Rows with
        // several threads need elapsed time.
        let clock = mostInstructions == nil ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID
        run(1_000)
        let count = 20_000
        var times: [Int] = []
        for _ in 0..<9 {
            let start = time(clock)
            run(count)
            times.append(time(clock) - start)
        }
        return times.sorted()[4] / count
    }

    private func time(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// The measured cost of a row; nil if not measured.
struct Cost {
    let row: Row
    var nanoseconds: Int?
    var instructions: Int?
    var allocations: AllocationCounter.Count?

    var isWithin: Bool { isWithinInstructions && isWithinAllocations && !leaks }

    private var isWithinInstructions: Bool {
        guard let instructions, let most = row.mostInstructions else { return true }
        return instructions <= most
    }

    private var isWithinAllocations: Bool {
        (allocations?.tenths ?? 0) <= row.mostAllocations * 10
    }

    private var leaks: Bool { (allocations?.leaked ?? 0) >= 32 }

    func line(allocationsOnly: Bool) -> String {
        var line = pad(row.name, Column.name)
        if !allocationsOnly {
            line += pad(nanoseconds, 8) + pad(row.mostNanoseconds, 9)
            line += pad(instructions, 14) + pad(row.mostInstructions, 9)
        }
        let tenths = allocations.map { "\($0.tenths / 10).\($0.tenths % 10)" } ?? "-"
        line += pad(tenths, 13, right: true) + pad(row.mostAllocations, 9)
        if !isWithinInstructions || !isWithinAllocations { line += "  <- over" }
        if leaks { line += "  <- leaks \(allocations?.leaked ?? 0)" }
        return line
    }
}

enum Column {
    static let name = 51
}

func pad(_ text: String, _ width: Int, right: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return right ? space + text : text + space
}

func pad(_ number: Int?, _ width: Int) -> String {
    pad(number.map { String($0) } ?? "-", width, right: true)
}

/// Stores a value so that the compiler cannot remove the work for it.
let sink = Atomic<Int>(0)

func consume(_ value: Int) {
    sink.store(value, ordering: .relaxed)
}
