/// A text format of metrics.
public enum MetricsFormat: Sendable {
    /// The text format of Prometheus, version 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.
    case openMetrics

    /// The `Content-Type` of the format.
    public var mediaType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }
}

/// A value that is read when metrics are asked for, such as the memory of the process.
public struct MetricReading: Sendable {
    /// The family that the value is of.
    public let family: MetricFamily
    /// The values of the labels, in the family's order.
    public let labels: [String]
    /// The value.
    public let value: Double

    /// - Parameter labels: the values of all labels of the family.
    public init(_ family: MetricFamily, _ value: Double, _ labels: [String] = []) {
        self.family = family
        self.labels = labels
        self.value = value
    }
}

/// Writes metrics as text. Both formats have the same names and the same bounds (`le="1.0"`), so queries fit
/// both.
struct MetricsWriter {
    private let format: MetricsFormat
    private var output: [UInt8] = []

    init(_ format: MetricsFormat) {
        self.format = format
        output.reserveCapacity(64 * 1024)
    }

    /// Writes the lines that describe a family.
    mutating func begin(_ family: MetricFamily) {
        let name = format == .openMetrics ? family.baseName : family.name[...]
        output += "# HELP \(name) ".utf8
        write(escaping: family.help, quotes: format == .openMetrics)
        output += "\n# TYPE \(name) \(family.typeName)\n".utf8
        if format == .openMetrics, let unit = family.unit { output += "# UNIT \(name) \(unit)\n".utf8 }
    }

    mutating func write(_ family: MetricFamily, _ series: Series, _ pages: [CounterPage]) {
        guard series.isCounted else { return }
        switch family.kind {
        case .counter: line(family.name, "", series.labels, "\(series.sum(0, pages))")
        case .time: line(family.name, "", series.labels, seconds(series.sum(0, pages)))
        case .gauge: line(family.name, "", series.labels, "\(Int64(bitPattern: series.sum(0, pages)))")
        case .durations(let buckets):
            let sum = series.sum(buckets.bounds.count + 1, pages)
            histogram(family, series, buckets.bounds.map { Double($0) / 1e9 }, seconds(sum), pages)
        case .values(let bounds):
            let sum = series.doubleSum(bounds.count + 1, pages)
            histogram(family, series, bounds, number(sum), pages)
        }
    }

    mutating func write(_ reading: MetricReading) {
        let names = reading.family.scope.labels + reading.family.labels
        line(
            reading.family.name, "", Self.text(of: Array(zip(names, reading.labels))), number(reading.value))
    }

    /// The buckets are read first and the count is their sum, so it fits them while loops count on.
    private mutating func histogram(
        _ family: MetricFamily, _ series: Series, _ bounds: [Double], _ sum: String, _ pages: [CounterPage]
    ) {
        var count: UInt64 = 0
        for index in 0...bounds.count {
            count += series.sum(index, pages)
            let bound = index < bounds.count ? "\(bounds[index])" : "+Inf"
            let separator = series.labels.isEmpty ? "" : ","
            line(family.name, "_bucket", series.labels + "\(separator)le=\"\(bound)\"".utf8, "\(count)")
        }
        line(family.name, "_sum", series.labels, sum)
        line(family.name, "_count", series.labels, "\(count)")
    }

    private mutating func line(_ name: String, _ suffix: String, _ labels: [UInt8], _ value: String) {
        output += name.utf8
        output += suffix.utf8
        if !labels.isEmpty {
            output.append(UInt8(ascii: "{"))
            output += labels
            output.append(UInt8(ascii: "}"))
        }
        output.append(UInt8(ascii: " "))
        output += value.utf8
        output.append(UInt8(ascii: "\n"))
    }

    consuming func finish() -> [UInt8] {
        if format == .openMetrics { output += "# EOF\n".utf8 }
        return output
    }

    // MARK: Text

    /// Returns labels as they stand between braces.
    static func text(of labels: [(name: String, value: String)]) -> [UInt8] {
        var writer = MetricsWriter(.openMetrics)
        for (index, label) in labels.enumerated() {
            if index > 0 { writer.output.append(UInt8(ascii: ",")) }
            writer.output += "\(label.name)=\"".utf8
            writer.write(escaping: label.value, quotes: true)
            writer.output.append(UInt8(ascii: "\""))
        }
        return Array(writer.output)
    }

    private mutating func write(escaping text: String, quotes: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): output += "\\n".utf8
            case UInt8(ascii: "\\"): output += "\\\\".utf8
            case UInt8(ascii: "\"") where quotes: output += "\\\"".utf8
            default: output.append(byte)
            }
        }
    }

    /// Returns nanoseconds as seconds, exactly.
    private func seconds(_ nanoseconds: UInt64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let digits = String(rest)
        return "\(whole).\(String(repeating: "0", count: 9 - digits.count))\(digits)"
    }

    private func number(_ value: Double) -> String {
        if let whole = Int64(exactly: value) { return "\(whole)" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value.isNaN ? "NaN" : "\(value)"
    }
}
