import GatewayHTTP
import SampleUpstreams

extension CommandSpecification {
    private static let flags = ServeFlags(GatewayServerConfiguration())
    private static let data = ProgramFlag(
        name: "data", placeholder: "FILE", help: "the SQLite file of the sample upstreams",
        fallback: "sluice/diary.sqlite3 in the user's data folder")
    private static let latency = ProgramFlag(
        name: "latency", placeholder: "on|off",
        help: "let the sample upstreams take 40 to 180 ms to answer, as real ones do", fallback: "on")

    static let serve = Command.gateway.serving(as: "serve", servesFiles: true)

    static let check = CommandSpecification(
        name: "check", summary: "check the file of a gateway and print all that is wrong with it",
        flags: [
            ProgramFlag(
                name: "static", placeholder: "on|off",
                help: "read no variables, secrets and certificates, which may exist only where it runs",
                fallback: "off"),
            ProgramFlag(
                name: "strict", placeholder: "on|off", help: "fail for warnings, too", fallback: "off"),
            ProgramFlag(
                name: "format", placeholder: "text|json", help: "how problems are printed", fallback: "text"),
        ], positionals: ["FILE"])

    static let openapi = CommandSpecification(
        name: "openapi", summary: "print the OpenAPI 3.1 description of a file's endpoints", flags: [],
        positionals: ["FILE"])

    static let schema = CommandSpecification(
        name: "schema", summary: "print the JSON Schema of the files of gateways, for editors",
        flags: [
            ProgramFlag(
                name: "included", placeholder: "on|off",
                help:
                    "describe the files that include names, which have only upstreams, schemas and endpoints",
                fallback: "off")
        ])

    static let demo = {
        let flags = ServeFlags(Command.demoConfiguration)
        return CommandSpecification(
            name: "demo", summary: "run the gateway together with its sample upstreams",
            flags: flags.listening + [data, latency] + flags.running(files: "the pages inside the program"))
    }()

    static let upstream = CommandSpecification(
        name: "upstream", summary: "run only the sample upstreams: diary, weather, places, users, tags",
        flags: [flags.host, flags.port, data])

    static let all =
        [serve, check, PlanCommand.specification, openapi, schema, KeyCommand.specification, demo, upstream]
        + GatewayProgram.askingCommands
}
