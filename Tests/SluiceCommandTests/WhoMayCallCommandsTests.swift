import Foundation
import TestSupport
import Testing

@Suite("The article on who may call, as commands", .timeLimit(.minutes(3)))
struct WhoMayCallCommandsTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    private static func article() throws -> String {
        let path = "\(root)/Sources/GatewayCore/GatewayCore.docc/WhoMayCall.md"
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test(
        "Every command of the day prints what the article shows",
        .enabled(if: PythonServer.isInstalled, "\(PythonServer.isMissing)"))
    func day() throws {
        let steps = DocumentedCommands(markdown: try Self.article()).steps
        #expect(steps.count == 23)
        let shell = try DocumentedShell(examples: "\(Self.root)/docker/examples")
        defer { shell.end() }
        for step in steps {
            let printed = try shell.run(step.command)
            #expect(
                DocumentedCommands.matches(shown: step.output, printed: printed),
                "\(step.command) printed:\n\(printed)")
        }
    }

    @Test("The article has all 30 lines of the authorizer")
    func authorizer() throws {
        let program = try String(
            contentsOfFile: "\(Self.root)/docker/examples/authorizer.py", encoding: .utf8)
        #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count == 31)
        #expect(try Self.article().contains("```\n\(program)```\n"))
    }
}
