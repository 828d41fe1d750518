import ASCIIText
import EndpointPlans

/// The lines of one plan.
struct ReportText {
    private(set) var text: String

    init(_ title: String, file: String, line: Int) {
        text = "\(Self.shown(title))   \(Self.shown(file)):\(line)\n"
    }

    mutating func add(_ line: String) { text += "  \(line)\n" }

    /// Longer cells widen no column.
    private static let widest = 100

    /// Adds the rows of a table. All columns but the last are as wide as their longest cell.
    mutating func add(_ rows: [[String]]) {
        let widths = (0..<(rows.first?.count ?? 0)).map { column in
            rows.map { $0[column].count }.filter { $0 <= Self.widest }.max() ?? 0
        }
        for row in rows {
            let cells = zip(row, widths).dropLast().map {
                $0 + String(repeating: " ", count: max(0, $1 - $0.count))
            }
            add((cells + row.suffix(1)).joined(separator: "  "))
        }
    }

    /// Adds the upstreams that get credentials of the client.
    mutating func addCredentials(_ authorization: [String], _ cookies: [String]) {
        for (field, upstreams) in [("Authorization", authorization), ("Cookie", cookies)]
        where !upstreams.isEmpty {
            add("\(field) goes to \(Self.shown(upstreams.joined(separator: ", ")))")
        }
    }

    /// Adds who may call, and how often.
    mutating func add(_ access: RequirementReport) {
        if let line = access.requirementText { add(line) }
        if let line = access.limitText { add(line) }
    }

    /// Explains the question marks of a plan.
    mutating func addUnknown() { add("? depends on a variable, whose value is not shown") }

    /// Returns a text without characters that a terminal acts on.
    static func shown(_ text: String) -> String { Shown.text(text, atMost: 10_000) }
}
