import ASCIIText
import EndpointPlans

/// A kind of numbers with units: `500ms`, `64KiB`.
struct Quantity: Sendable {
    struct Unit: Sendable {
        let name: String
        /// In the smallest unit that is counted: nanoseconds, bytes.
        let factor: Int
    }

    /// From the smallest to the largest.
    let units: [Unit]
    /// The unit of a message about a number without one.
    let usualUnit: String
    /// For messages: "a time such as 500ms, 5s, 1m or 2h".
    let description: String

    static let time = Quantity(
        units: [
            Unit(name: "ms", factor: 1_000_000), Unit(name: "s", factor: 1_000_000_000),
            Unit(name: "m", factor: 60_000_000_000), Unit(name: "h", factor: 3_600_000_000_000),
        ], usualUnit: "s", description: "a time such as 500ms, 5s, 1m or 2h")
    private static let hour = 3_600_000_000_000
    static let size = Quantity(
        units: [
            Unit(name: "B", factor: 1), Unit(name: "KiB", factor: 1 << 10),
            Unit(name: "MiB", factor: 1 << 20),
            Unit(name: "GiB", factor: 1 << 30),
        ], usualUnit: "B", description: "a size such as 512B, 64KiB or 8MiB")
    static let rate = Quantity(
        units: size.units.map { Unit(name: "\($0.name)/s", factor: $0.factor) }, usualUnit: "B/s",
        description: "a rate such as 500B/s or 4KiB/s")

    /// The form as a regular expression of JSON Schema.
    var pattern: String { "^[0-9]+(\\.[0-9]+)?(\(units.map(\.name).joined(separator: "|")))$" }

    /// Returns the number in the smallest unit; nil for other text, for a fraction of that unit, and for a
    /// number out of range.
    func parse(_ text: String) -> Int? {
        let bytes = text.utf8
        let whole = bytes.prefix(while: ASCII.isDigit)
        guard (1...15).contains(whole.count), let value = Int(Substring(whole)) else { return nil }
        var rest = bytes.dropFirst(whole.count)
        var (numerator, denominator) = (0, 1)
        if rest.first == Byte.point {
            let digits = rest.dropFirst().prefix(while: ASCII.isDigit)
            guard (1...6).contains(digits.count) else { return nil }
            for digit in digits {
                numerator = numerator * 10 + Int(digit - Byte.zero)
                denominator *= 10
            }
            rest = rest.dropFirst(1 + digits.count)
        }
        guard let unit = units.first(where: { $0.name.utf8.elementsEqual(rest) }) else { return nil }
        let (product, overflow) = value.multipliedReportingOverflow(by: unit.factor)
        let (sum, overflows) = product.addingReportingOverflow(unit.factor * numerator / denominator)
        guard !overflow, !overflows, unit.factor * numerator % denominator == 0 else { return nil }
        return sum
    }

    /// Returns what was likely meant by a number without a unit.
    ///
    /// - Parameters:
    ///   - standard: the default, as YAML writes it. If it is below the usual unit, the number is meant in
    ///     the smallest one.
    ///   - range: of the values that are allowed. Times of at least a second, or beyond an hour, are never
    ///     meant in milliseconds.
    func withUnit(_ number: String, standard: String? = nil, range: ClosedRange<Int>? = nil) -> String {
        guard number.utf8.allSatisfy(ASCII.isDigit), let usual = units.first(where: { $0.name == usualUnit })
        else { return number + usualUnit }
        let isCoarse = range.map { $0.lowerBound >= usual.factor || $0.upperBound > Self.hour } ?? false
        // Other times of a hundred or more are written in milliseconds elsewhere.
        let isLong = number.utf8.count > 2 && units[0].name == "ms" && !isCoarse
        let isBelow = standard.flatMap(parse).map { (1..<usual.factor).contains($0) } ?? false
        return number + (isLong || (isBelow && number != "0") ? units[0].name : usualUnit)
    }

    /// Returns the text of a number, in the largest unit without a fraction.
    func text(_ value: Int) -> String {
        guard value != 0 else { return "0\(usualUnit)" }
        let unit = units.last { value % $0.factor == 0 } ?? units[0]
        return "\(value / unit.factor)\(unit.name)"
    }
}
