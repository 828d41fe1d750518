import Foundation
import HTTPModel
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import Networking

/// Compares the tables of the article "Reference" with the code.
@Suite("The reference of flags, reasons and codes")
struct ReferenceTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The cells of the tables' rows below a heading, without backticks.
    private static func rows(_ heading: String, of article: String? = nil) throws -> [[String]] {
        let article = try article ?? text("Sources/GatewayCore/GatewayCore.docc/Reference.md")
        let section = article.components(separatedBy: "## \(heading)\n").dropFirst().first ?? ""
        let table = section.components(separatedBy: "\n## ").first ?? ""
        return table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            // A bar inside a cell is escaped.
            line.replacing("\\|", with: "\u{0}").split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "").replacing("\u{0}", with: "|")
            }
        }
    }

    @Test("Each flag has one row with its placeholder and its default")
    func flags() throws {
        let rows = try Self.rows("Flags")
        let flags = GatewayProgram(name: "gateway").serving().flags
        #expect(rows.map { $0[0] } == flags.map { "--\($0.name) \($0.placeholder)" })
        for (row, flag) in zip(rows, flags) {
            #expect(row[1] == flag.fallback ?? "none", "\(flag.name)")
            #expect(row.count == 3 && row[2].count > 10, "\(flag.name)")
        }
    }

    /// The tokens of all reasons that the sources declare.
    private static func declaredReasons() throws -> [String] {
        let files = ["HTTPModel/FailureReason.swift", "Networking/Response/FailureReason+Networking.swift"]
        return try files.flatMap { file in
            try text("Sources/\(file)").matches(of: /FailureReason\(token: "([a-z_]+)"\)/)
                .map { String($0.output.1) }
        }.sorted()
    }

    @Test("Each reason has one row, with the status and the retries that the code decides")
    func reasons() throws {
        let rows = try Self.rows("Reasons")
        #expect(rows.map { $0[0] } == (try Self.declaredReasons()))
        for row in rows {
            let reason = FailureReason(token: row[0])
            // Their statuses come from a response and from another part.
            if reason == .upstreamStatus || reason == .dependencyFailed { continue }
            let kind: OutcomeKind =
                switch reason {
                case .decodeError, .missingData, .responseContract, .unexpectedStatus: .pathErr
                case .internalError: .serverErr
                default: .networkFail
                }
            let status = FailureAnswer.status(
                kind: kind, reason: reason, status: nil, forwardsCredentials: false)
            #expect(row[2] == "\(status)", "\(row[0])")
            #expect(row[3] == (reason.isRetried ? "yes" : "no"), "\(row[0])")
            #expect(row[4] == (reason.isTransient ? "yes" : "no"), "\(row[0])")
        }
    }

    @Test("Each kind has one row")
    func kinds() throws {
        #expect(try Self.rows("Kinds").map { $0[0] } == OutcomeKind.allCases.map(\.rawValue) + ["cancelled"])
    }

    @Test("Each error code has one row with its status and title")
    func codes() throws {
        let source = try Self.text("Sources/GatewayCore/Envelope/ErrorCode.swift")
        let declared = source.matches(of: /ErrorCode\(\s*"([A-Z_]+)", ([0-9]+), "([^"]+)"\)/)
            .map { [String($0.output.1), String($0.output.2), String($0.output.3)] }
        #expect(declared.count > 20)
        #expect(try Self.rows("Codes") == declared)
    }

    @Test("Each path of the admin listener has one row")
    func adminPaths() throws {
        let article = try Self.text("Sources/GatewayCore/GatewayCore.docc/OperatingReference.md")
        let rows = try Self.rows("The admin listener", of: article).map { $0[0] }
        #expect(
            rows == ["GET /health/ready", "GET /health/live"]
                + AdminOperation.all.map { "\($0.method.rawValue) \($0.path)" })
    }

    @Test("A wrong cell and a missing row are found")
    func findsFaults() throws {
        let article = "## Codes\n\n| `NOT_FOUND` | 405 | No |\ntext\n## Kinds\n| `success` | yes |\n"
        #expect(try Self.rows("Codes", of: article) == [["NOT_FOUND", "405", "No"]])
        #expect(try Self.rows("Kinds", of: article) == [["success", "yes"]])
        #expect(try Self.rows("Flags", of: article).isEmpty)
    }
}
