/// A number of a plan. It is unknown if it depends on a variable, whose value no output shows.
package struct ReportNumber: Sendable, Hashable {
    /// Nil if it is unknown.
    package let value: Int?

    static let unknown = ReportNumber(nil)
    static let zero = ReportNumber(0)

    init(_ value: Int?) {
        self.value = value
    }

    /// Returns the sum. It stops at the largest number, which a file of a million parts could exceed.
    static func + (left: ReportNumber, right: ReportNumber) -> ReportNumber {
        combine(left, right) {
            let (sum, overflow) = $0.addingReportingOverflow($1)
            return overflow ? .max : sum
        }
    }

    static func * (left: ReportNumber, right: ReportNumber) -> ReportNumber {
        combine(left, right) {
            let (product, overflow) = $0.multipliedReportingOverflow(by: $1)
            return overflow ? .max : product
        }
    }

    /// Returns how many rounds of `other` this makes.
    func rounds(of other: ReportNumber) -> ReportNumber {
        Self.combine(self, other) { ($0 + $1 - 1) / max($1, 1) }
    }

    static func combine(
        _ left: ReportNumber, _ right: ReportNumber, _ operation: (Int, Int) -> Int
    ) -> ReportNumber {
        guard let left = left.value, let right = right.value else { return unknown }
        return ReportNumber(operation(left, right))
    }

    /// Whether this is the larger number. An unknown one may be any, so it counts as the largest.
    func exceeds(_ other: ReportNumber) -> Bool {
        guard let mine = value else { return other.value != nil }
        return other.value.map { mine > $0 } ?? false
    }
}

extension ReportNumber: CustomStringConvertible {
    package var description: String { value.map { "\($0)" } ?? "?" }

    /// A number of nanoseconds: `500 ms`, `14 s`, `1.5 s`.
    var time: String {
        guard let value else { return "?" }
        let (unit, name) = value < 1_000_000_000 && value > 0 ? (1_000_000, "ms") : (1_000_000_000, "s")
        // Up, because it is a bound.
        let thousandths = (value % unit + unit / 1000 - 1) / (unit / 1000)
        let (whole, rest) = (value / unit + thousandths / 1000, thousandths % 1000)
        guard rest > 0 else { return "\(whole) \(name)" }
        let digits = "\(rest + 1000)".dropFirst().reversed().drop { $0 == "0" }.reversed()
        return "\(whole).\(String(digits)) \(name)"
    }
}

/// The fewest and the most upstream calls.
package struct CallRange: Sendable, Hashable {
    package var least: Int
    package var most: ReportNumber

    static let none = CallRange(least: 0, most: .zero)

    static func + (left: CallRange, right: CallRange) -> CallRange {
        CallRange(least: left.least + right.least, most: left.most + right.most)
    }
}

extension CallRange: CustomStringConvertible {
    /// `1`, `0..3`, or `1..?` if the most depends on a variable.
    package var description: String { most == ReportNumber(least) ? "\(least)" : "\(least)..\(most)" }

    /// `1..3 calls`, `1 call`.
    func text(_ noun: String) -> String {
        "\(self) \(noun)\(least == 1 && most == ReportNumber(1) ? "" : "s")"
    }
}
