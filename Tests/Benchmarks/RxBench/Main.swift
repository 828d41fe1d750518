import Foundation

/// What operators, subjects and subscriptions cost.
///
///     RxBench [part of a name]                nanoseconds, instructions and allocations of the rows of that name
///     RxBench --allocations [part of a name]  allocations only, in a second
///
/// Ends with 1 when allocations or instructions, which do not vary, are over a row's limit, or when something leaks.
@main
enum RxBench {
    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        let mode = arguments.first.flatMap(Mode.init(rawValue:)) ?? .all
        if mode != .all { arguments.removeFirst() }
        if mode == .once, let count = arguments.popLast().flatMap({ Int($0) }) {
            for row in rows where row.name == arguments.last { row.run(count) }
            return
        }
        let chosen = rows.filter { row in arguments.first.map { row.name.contains($0) } ?? true }
        guard !chosen.isEmpty else { fail("no row has such a name") }
        switch mode {
        case .count: for row in chosen { print(AllocationCounter.measure(row)) }
        case .allocations: exit(report(chosen, allocationsOnly: true))
        case .all, .once: exit(report(chosen, allocationsOnly: false))
        }
    }

    private enum Mode: String {
        case all = "--all"
        case allocations = "--allocations"
        /// Runs a row so many times: by itself, under valgrind.
        case once = "--once"
        /// Counts allocations: by itself, under the counter.
        case count = "--count"
    }

    /// Prints the table. The exit status.
    private static func report(_ rows: [Row], allocationsOnly: Bool) -> Int32 {
        let counts: [AllocationCounter.Count]?
        do {
            counts = try AllocationCounter.measure(rows)
        } catch {
            print("allocations are not counted: \(error)")
            if allocationsOnly { return 1 }
            counts = nil
        }
        let countsInstructions = !allocationsOnly && Instructions.areCounted
        if !allocationsOnly, !countsInstructions { print("instructions are not counted: no valgrind") }
        var headline = pad("operation", Column.name)
        if !allocationsOnly { headline += "      ns  at most  instructions  at most" }
        print(headline + "  allocations  at most")
        var isWithin = true
        for (index, row) in rows.enumerated() {
            var cost = Cost(row: row)
            if !allocationsOnly { cost.nanoseconds = row.nanoseconds() }
            if countsInstructions { cost.instructions = Instructions.measure(row) }
            if let counts { cost.allocations = counts[index] }
            print(cost.line(allocationsOnly: allocationsOnly))
            isWithin = isWithin && cost.isWithin
        }
        return isWithin ? 0 : 1
    }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("RxBench: \(message)\n".utf8))
    exit(2)
}
