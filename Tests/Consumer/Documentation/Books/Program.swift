import Sluice

@main
struct Program {
    static func main() {
        var program = GatewayProgram(name: "books", version: "1.0.0")
        program.flags = [
            ProgramFlag(name: "keys", placeholder: "KEYS", help: "API keys, separated by commas")
        ]
        GatewayServer.main(program) { gateway, arguments in
            guard let keys = arguments.string("keys") else {
                throw UsageError(message: "--keys is missing")
            }
            declareEndpoints(on: gateway, keys: Set(keys.split(separator: ",").map(String.init)))
        }
    }
}
