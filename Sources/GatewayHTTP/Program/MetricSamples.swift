/// The samples of a text of metrics, as Prometheus reads it (exposition format 0.0.4).
struct MetricSamples: Sendable {
    struct Sample: Sendable, Equatable {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    private let samples: [String: [Sample]]

    /// Skips lines that are not samples.
    init(_ text: String) {
        samples = Dictionary(grouping: text.split(separator: "\n").compactMap(Self.sample), by: \.name)
    }

    /// The samples of a metric.
    subscript(_ name: String) -> [Sample] { samples[name] ?? [] }

    /// Returns the sum of a metric's samples with these labels; nil without one.
    func sum(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        let found = self[name].filter { sample in labels.allSatisfy { sample.labels[$0.key] == $0.value } }
        return found.isEmpty ? nil : found.reduce(0) { $0 + $1.value }
    }

    /// Returns the values that a label has in the samples of a metric.
    func labels(_ label: String, of name: String) -> Set<String> {
        Set(self[name].compactMap { $0.labels[label] })
    }

    private static func sample(_ line: Substring) -> Sample? {
        guard !line.hasPrefix("#") else { return nil }
        let name = line.prefix { $0 != "{" && $0 != " " }
        var rest = line.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            guard let read = Self.labels(&rest) else { return nil }
            labels = read
        }
        // A time stamp may follow.
        guard let word = rest.split(separator: " ").first, let value = Double(word) else { return nil }
        return Sample(name: String(name), labels: labels, value: value)
    }

    /// Reads `route="/a",part="b"}`.
    private static func labels(_ rest: inout Substring) -> [String: String]? {
        var labels: [String: String] = [:]
        while rest.first != "}" {
            if rest.first == "," { rest = rest.dropFirst() }
            let name = rest.prefix { $0 != "=" }
            rest = rest.dropFirst(name.count)
            guard rest.hasPrefix("=\"") else { return nil }
            rest = rest.dropFirst(2)
            var value = ""
            while let character = rest.popFirst(), character != "\"" {
                guard character == "\\" else {
                    value.append(character)
                    continue
                }
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped == "n" ? "\n" : escaped)
            }
            labels[String(name)] = value
        }
        rest = rest.dropFirst()
        return labels
    }
}
