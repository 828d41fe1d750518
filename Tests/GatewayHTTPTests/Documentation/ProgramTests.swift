import GatewayCore
import Glibc
import TestSupport
import Testing

@testable import GatewayHTTP

/// Compiles and runs the code of the article "Your own gateway" about the program.
@Suite("A program that is a gateway")
struct ProgramTests {
    private static var program: GatewayProgram {
        var program = GatewayProgram(name: "shop", version: "1.4.0")
        program.configuration.port = 9000
        program.flags = [
            ProgramFlag(name: "region", placeholder: "NAME", help: "eu or us", fallback: "eu")
        ]
        return program
    }

    /// Declares the endpoints of the shop.
    private static func declare(_ gateway: Gateway, _ arguments: ProgramArguments) throws {
        let region = arguments.string("region") ?? "eu"
        guard ["eu", "us"].contains(region) else {
            throw UsageError(message: "--region takes eu or us, not '\(region)'")
        }
        gateway.get("/region") { _ in .json(region) }
    }

    private static func run(_ words: [String], _ environment: [String: String] = [:]) -> Int32 {
        program.run(words, environment: environment, declare: declare)
    }

    @Test("Wrong usage is exit code 2, with the flag, the reason and where the flags are listed")
    func wrongUsage() async throws {
        let result = await #expect(processExitsWith: .exitCode(2), observing: [\.standardErrorContent]) {
            exit(Self.run(["--region", "moon", "--port", "0"]))
        }
        let expected = """
            shop: --region takes eu or us, not 'moon'; run 'shop --help' to list the flags
            """
        #expect(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } == expected + "\n")
        for words in [
            ["--regoin", "eu"], ["serve", "--region"], ["health", "--region", "eu"], ["--port", "x"],
            ["extra"],
        ] {
            #expect(Self.run(words) == 2, "\(words)")
        }
        #expect(Self.run([], ["SLUICE_REGION": "moon", "SLUICE_PORT": "0"]) == 2)
    }

    @Test("An address for an upstream that no endpoint calls ends the start, with its name")
    func unknownUpstream() async {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            exit(Self.run(["--port", "0", "--upstream", "cart=http://127.0.0.1:1", "--log-level", "error"]))
        }
        let errors = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(
            errors == "shop: an address is set for the unknown upstream \"cart\" (none is declared)\n")
    }

    @Test("The help lists the flags of every gateway and those of the program, with its defaults")
    func help() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            exit(Self.run(["--help"]))
        }
        let help = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) } ?? ""
        #expect(help.hasPrefix("usage: shop [FLAGS]\n"))
        #expect(help.contains("--region NAME"))
        #expect(help.contains("default: eu; variable: SLUICE_REGION"))
        #expect(help.contains("default: 9000; variable: SLUICE_PORT"))
        #expect(help.contains("--upstream-ca NAME=FILE"))
        #expect(help.contains("shop health"))
    }

    @Test("health asks where the program's configuration says, unless flags say otherwise")
    func health() throws {
        func url(_ words: [String]) throws -> String {
            let program = Self.program
            let arguments = try ProgramArguments(words, for: program.health, environment: [:])
            return try HealthCommand.url(arguments, program.configuration)
        }
        #expect(try url([]) == "http://127.0.0.1:9000")
        #expect(try url(["--host", "::", "--port", "81"]) == "http://[::1]:81")
        #expect(try url(["http://10.0.0.7:80"]) == "http://10.0.0.7:80")
    }

    @Test("A flag with the name of another one stops the program")
    func flagTwice() async {
        await #expect(processExitsWith: .failure) {
            var program = Self.program
            program.flags.append(ProgramFlag(name: "port", placeholder: "PORT", help: "another port"))
            exit(program.run(["--help"], environment: [:]) { _, _ in })
        }
    }

    @Test("--version prints the name and the version")
    func version() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            exit(Self.run(["--version"]))
        }
        #expect(result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) } == "shop 1.4.0\n")
    }
}
