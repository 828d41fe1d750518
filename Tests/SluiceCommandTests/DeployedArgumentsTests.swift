import Foundation
import Testing

@testable import GatewayHTTP
@testable import SluiceCommand

@Suite("The command lines of the unit and the pod")
struct DeployedArgumentsTests {
    private static func text(_ path: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../docker").standardized
        return try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }

    /// The arguments behind the name of their command, as the program reads them.
    private func parse(_ words: some Collection<String>) throws -> (command: String, ProgramArguments) {
        let command = try #require(CommandSpecification.all.first { $0.name == words.first })
        return (command.name, try ProgramArguments(words.dropFirst(), for: command, environment: [:]))
    }

    @Test("The unit serves a file, and reloads it by the socket on which it listens")
    func unit() throws {
        let unit = try Self.text("systemd/sluice.service")
        func words(_ key: String) throws -> [String] {
            let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix(key + "=") })
            return line.dropFirst(key.count + 1).split(separator: " ").map(String.init)
        }
        let (start, reload) = (try words("ExecStart"), try words("ExecReload"))
        #expect(start.first == "/usr/bin/sluice" && reload.first == "/usr/bin/sluice")
        let (serve, arguments) = try parse(start.dropFirst())
        #expect(serve == "serve")
        #expect(arguments.string("config") == "/etc/sluice/sluice.yaml")
        let socket = "unix:/run/sluice/admin.sock"
        #expect(arguments.all("admin") == [socket, "127.0.0.1:9901"])
        var configuration = GatewayServerConfiguration()
        try configuration.apply(arguments)
        let (command, asked) = try parse(reload.dropFirst())
        #expect(command == "reload")
        #expect(asked.all("admin") == [socket])
    }

    @Test("The pod serves the file of its ConfigMap, watches it, and drains for 5 s")
    func pod() throws {
        let pod = try Self.text("kubernetes/deployment.yaml")
        let list = try #require(pod.firstMatch(of: /\n +args: \[(.+)\]\n/)).output.1
        let words = list.replacing("\"", with: "").split(separator: ", ").map(String.init)
        let (command, arguments) = try parse(words)
        #expect(command == "serve")
        #expect(arguments.string("config") == "/etc/sluice/sluice.yaml")
        #expect(try arguments.isOn("watch") == true)
        var configuration = GatewayServerConfiguration()
        try configuration.apply(arguments)
        #expect(configuration.drainDelay == .seconds(5))
    }

    @Test(
        "The file for Compose with TLS serves a mounted certificate, watches it, and redirects to its own port"
    )
    func compose() throws {
        let file = try Self.text("compose.tls.yaml")
        // The default of a variable of Compose, such as `${PORT:-443}`, is its value.
        let lines = file.matches(of: /\n +(SLUICE_\w+): "?(?:\$\{\w+:-)?([^"}\n]+)/)
        let environment = Dictionary(uniqueKeysWithValues: lines.map { (String($0.1), String($0.2)) })
        #expect(environment.count == 5)
        let serve = CommandSpecification.serve
        #expect(environment.keys.allSatisfy { name in serve.flags.contains { $0.environmentName == name } })
        let arguments = try ProgramArguments([], for: serve, environment: environment)
        #expect(try arguments.isOn("watch") == true)
        var configuration = GatewayServerConfiguration()
        try configuration.apply(arguments)
        #expect(configuration.tls?.certificates.count == 1)
        #expect(configuration.port == 443)
        #expect(configuration.redirect?.port == 80)
        let folder = try #require(
            environment["SLUICE_TLS_CERT"]?.split(separator: "/").dropLast().joined(separator: "/"))
        #expect(environment["SLUICE_TLS_KEY"]?.hasPrefix("/\(folder)/") == true)
        #expect(file.contains(":/\(folder):ro\""))
        // A redirect names the port inside, so clients have to find it outside, too.
        for port in ["${PORT:-443}", "${REDIRECT_PORT:-80}"] {
            #expect(file.contains("\"127.0.0.1:\(port):\(port)\""))
        }
    }
}
