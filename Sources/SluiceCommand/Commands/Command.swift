import GatewayHTTP
import SampleUpstreams

/// Runs the command that the arguments name and returns its exit code.
enum Command {
    private static let wrongUsage: Int32 = 2

    /// `sluice serve` is a program like one of yours, with the endpoints of the demo.
    static let gateway: GatewayProgram = {
        var program = GatewayProgram(name: "sluice", version: Help.version)
        let names = SampleUpstream.allCases.map(\.rawValue)
        program.upstreams = (
            names, "diary, weather, places, users and tags of sluice upstream --port 8081"
        )
        return program
    }()

    static func run(_ words: [String], environment: [String: String]) -> Int32 {
        guard let first = words.first else {
            Announcement.print(Help.overview)
            return wrongUsage
        }
        if ["--help", "-h", "help", "--version"].contains(first) {
            if words.count > 1 {
                Announcement.complain("unexpected argument '\(words[1])' after \(first)")
                return wrongUsage
            }
            Announcement.print(first == "--version" ? "sluice \(Help.version)\n" : Help.overview)
            return 0
        }
        guard let command = CommandSpecification.all.first(where: { $0.name == first }) else {
            Announcement.complain("unknown command '\(first)'; run 'sluice --help' to list the commands")
            return wrongUsage
        }
        return command.run(words.dropFirst(), environment: environment, of: "sluice") {
            arguments throws(UsageError) in try run(command.name, arguments)
        }
    }

    private static func run(_ name: String, _ arguments: ProgramArguments) throws(UsageError) -> Int32 {
        switch name {
        case "serve":
            guard let file = arguments.string("config") else {
                if arguments.withoutVariables.string("watch") != nil {
                    throw UsageError(message: "--watch needs --config FILE")
                }
                return try gateway.serve(arguments) { gateway, _ in AppEndpoints.declare(on: gateway) }
            }
            return try gateway.serve(file: file, arguments)
        case "check": return try GatewayProgram.check(arguments)
        case "plan": return try PlanCommand.run(arguments, gateway.configuration.admin, of: gateway.name)
        case "openapi": return try GatewayProgram.openAPI(arguments)
        case "schema": return try GatewayProgram.printSchema(arguments)
        case "key": return try KeyCommand.run(arguments)
        case "demo": return try demo(arguments)
        case "upstream": return try upstream(arguments)
        default: return try gateway.ask(name, arguments)
        }
    }
}
