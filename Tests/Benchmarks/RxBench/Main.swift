import Foundation

/// Measures operators, subjects and subscriptions.
///
///     RxBench [part of a name]                nanoseconds, instructions and allocations of the matching rows
///     RxBench --allocations [part of a name]  allocations only
///
/// Exits with 1 if a row leaks or exceeds its limit of allocations or instructions, which do not vary.
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
        guard !chosen.isEmpty else { fail("no row matches") }
        switch mode {
        case .count: for row in chosen { print(AllocationCounter.measure(row)) }
        case .allocations: exit(report(chosen, allocationsOnly: true))
        case .all, .once: exit(report(chosen, allocationsOnly: false))
        }
    }

    private enum Mode: String {
        case all = "--all"
        case allocations = "--allocations"
        /// Internal: runs a row under valgrind.
        case once = "--once"
        /// Internal: runs rows under the allocation counter.
        case count = "--count"
    }

    /// Prints the table and returns the exit status.
    private static func report(_ rows: [Row], allocationsOnly: Bool) -> Int32 {
        let counts: [AllocationCounter.Count]?
        do {
            counts = try AllocationCounter.measure(rows)
        } catch {
            print("cannot count allocations: \(error)")
            if allocationsOnly { return 1 }
            counts = nil
        }
        let countsInstructions = !allocationsOnly && Instructions.areCounted
        if !allocationsOnly, !countsInstructions { print("cannot count instructions: no valgrind") }
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
