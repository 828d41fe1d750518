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
        program.run(
            words, environment: environment.merging(["SLUICE_ADMIN": "off"]) { $1 }, declare: declare)
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

    @Test("Hooks and jobs run with the flags of a program, and SIGTERM ends both")
    func lifecycle() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let log = EventLog()
            let words = ["--region", "us", "--port", "0", "--drain-delay", "0", "--log-level", "error"]
            let code = Self.program.run(words, environment: ["SLUICE_ADMIN": "off"]) { gateway, arguments in
                let region = arguments.string("region") ?? ""
                gateway.onStart { log.add("start in \(region)") }
                gateway.every(.milliseconds(1)) {
                    guard log.count("job") == 0 else { return }
                    log.add("job")
                    kill(getpid(), SIGTERM)
                }
                gateway.onDrain { log.add("drain") }
                gateway.onStop { log.add("first stop") }
                gateway.onStop { log.add("second stop") }
            }
            let expected = ["start in us", "job", "drain", "second stop", "first stop"]
            guard code == 0, log.events == expected else {
                Announcement.complain("exit code \(code): \(log.events)")
                exit(1)
            }
            Announcement.complain("as expected")
            exit(0)
        }
        #expect(
            result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
                == "sluice: as expected\n")
    }

    @Test("A hook of the start that fails ends the program with exit code 1 and its error")
    func failedHook() async {
        let result = await #expect(
            processExitsWith: .exitCode(1), observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let words = ["--port", "0", "--log-level", "error"]
            let code = Self.program.run(words, environment: ["SLUICE_ADMIN": "off"]) { gateway, _ in
                gateway.onStart(file: "Shop/Program.swift", line: 12) {
                    throw GatewayStartError("the database is locked")
                }
                gateway.onStop { Announcement.complain("closed", by: "shop") }
            }
            print("end")
            exit(code)
        }
        let errors = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
        #expect(
            errors
                == "shop: closed\nshop: onStart at Shop/Program.swift:12 failed: the database is locked\n")
        // It was never announced.
        #expect(result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) } == "end\n")
    }

    @Test("SIGTERM cancels a hook of the start, and the program ends without having served")
    func cancelledHook() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let words = ["--port", "0", "--log-level", "error"]
            let code = Self.program.run(words, environment: ["SLUICE_ADMIN": "off"]) { gateway, _ in
                gateway.onStart {
                    kill(getpid(), SIGTERM)
                    try await untilCancelled()
                }
                gateway.onDrain { Announcement.complain("drain") }
            }
            print("end")
            Announcement.complain("end")
            exit(code)
        }
        #expect(result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) } == "end\n")
        #expect(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } == "sluice: end\n")
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

    @Test("Commands ask the admin address of a flag, a variable, the program, or the default, in this order")
    func adminAddress() throws {
        func origin(_ words: [String], _ variable: String? = nil, code: String...) throws -> String {
            var settings = AdminSettings()
            if !code.isEmpty { settings.listen = try AdminAddress.list(code) }
            let arguments = try ProgramArguments(
                words, for: HealthCommand.specification,
                environment: variable.map { ["SLUICE_ADMIN": $0] } ?? [:])
            return try AdminClient.origin(arguments, settings).description
        }
        #expect(try origin([]) == "http://127.0.0.1:9901")
        #expect(try origin([], code: "127.0.0.1:81") == "http://127.0.0.1:81")
        #expect(try origin([], "[::1]:82", code: "127.0.0.1:81") == "http://[::1]:82")
        #expect(try origin(["--admin", "127.0.0.1:83"], "[::1]:82") == "http://127.0.0.1:83")
        // Whoever is on the machine of the gateway needs no token at such an address.
        #expect(try origin([], "0.0.0.0:1,10.0.0.7:2,127.0.0.1:3") == "http://127.0.0.1:3")
        #expect(try origin([], "0.0.0.0:1,unix:/run/a.sock") == "http+unix:/run/a.sock")
        // All interfaces are reached at loopback.
        #expect(try origin([], "0.0.0.0:1") == "http://127.0.0.1:1")
        for (words, complaint) in [
            (["--admin", "off"], "--admin is off: the gateway has no admin listener"),
            (["--admin", "127.0.0.1:0"], "--admin: 127.0.0.1:0 has no port to ask"),
            (
                ["--config", "a.yaml"],
                "--config is gone: health reads no file: it asks the admin listener, or --url"
            ),
            (
                ["--port", "81"],
                "--port is gone: health asks the admin listener; use --url http://HOST:PORT to ask another address"
            ),
        ] {
            let error = try #require(throws: UsageError.self) { try origin(words) }
            #expect(error.message == complaint)
        }
    }

    @Test("The program's own reload, drain and explain ask its running gateway")
    func commands() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let folder = ScratchFolder()
            let address = "unix:\(folder.file("admin.sock"))"
            let gateway = try GatewayServer.start(try adminConfiguration([address])) {
                $0.get("/region") { _ in .parts(number: 1) }
            }
            func run(_ words: String..., at address: String = address) -> Int32 {
                Self.program.run(words, environment: ["SLUICE_ADMIN": address], declare: Self.declare)
            }
            #expect(run("reload", at: "unix:\(folder.file("none"))") == 1)
            #expect(run("explain") == 2)
            #expect(run("drain", "now") == 2)
            #expect(run("explain", "/unknown") == 1)
            #expect(run("explain", "/region") == 0)
            #expect(run("reload") == 0)
            #expect(run("drain") == 0)
            gateway.waitUntilStopped()
        }
        let output = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) } ?? ""
        #expect(output.contains("200 OK  ") && output.contains("  GET /region  trace "), "\(output)")
        #expect(output.contains("reloaded: certificates\n"), "\(output)")
        let errors = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(errors.contains("shop: http+unix:") && errors.contains("/none/reload: "), "\(errors)")
        #expect(errors.contains("run 'shop explain --help' to list the flags"), "\(errors)")
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
