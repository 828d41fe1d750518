/// Lists the settings of a policy that are out of their ranges: name, value and range.
package struct RangeFaults {
    package private(set) var list: [String] = []

    package init() {}

    package mutating func check<Value: Comparable>(
        _ name: String, _ value: Value, in range: ClosedRange<Value>
    ) {
        guard !range.contains(value) else { return }
        add(name, value, "between \(text(range.lowerBound)) and \(text(range.upperBound))")
    }

    /// Checks a time that must not be less than another one.
    mutating func check(
        _ name: String, _ value: Duration, from other: String, _ least: Duration,
        in range: ClosedRange<Duration>
    ) {
        guard value < least || value > range.upperBound else { return }
        add(name, value, "between \(other) (\(least)) and \(text(range.upperBound))")
    }

    mutating func check(share name: String, _ value: Double) {
        if !(value > 0 && value <= 1) { add(name, value, "more than 0 and at most 1") }
    }

    private mutating func add(_ name: String, _ value: some Any, _ range: String) {
        list.append("\(name): \(value) is not \(range)")
    }

    /// Returns a bound in the largest unit without a fraction: `10 min`.
    private func text(_ bound: some Any) -> String {
        guard let time = bound as? Duration else { return "\(bound)" }
        let units: [(String, Duration)] = [
            ("day", .seconds(86_400)), ("h", .seconds(3600)), ("min", .seconds(60)), ("s", .seconds(1)),
        ]
        for (name, unit) in units where time >= unit || name == "s" && time == .zero {
            let count = time / unit
            if count == count.rounded() { return "\(Int(count)) \(name)" }
        }
        return "\(Int(time / .milliseconds(1))) ms"
    }
}
