import Foundation
import TestSupport
import Testing

@Suite("The article on HTTPS, as commands", .timeLimit(.minutes(3)))
struct ServingHTTPSCommandsTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    private static let hasOpenSSL = PeerProcess.find("openssl") != nil

    @Test(
        "Every command prints what the article shows",
        .enabled(if: hasOpenSSL, "openssl is not installed: make setup"))
    func commands() throws {
        let path = "\(Self.root)/Sources/GatewayCore/GatewayCore.docc/ServingHTTPS.md"
        let article = try String(contentsOfFile: path, encoding: .utf8)
        let (_, rest) = try DocumentedCommands.split(article, section: ACMERecipeTests.heading)
        let steps = DocumentedCommands(markdown: rest).steps
        #expect(steps.count == 11)
        let shell = try DocumentedShell(examples: "\(Self.root)/docker/examples")
        defer { shell.end() }
        for step in steps {
            let printed = try shell.run(step.command)
            #expect(
                DocumentedCommands.matches(shown: step.output, printed: printed),
                "\(step.command) printed:\n\(printed)")
        }
    }
}
