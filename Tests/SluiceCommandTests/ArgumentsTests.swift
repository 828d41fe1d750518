import Foundation
import Testing

@testable import GatewayHTTP
@testable import SluiceCommand

@Suite("Arguments")
struct ArgumentsTests {
    private func parse(
        _ words: [String], _ command: CommandSpecification = .serve, environment: [String: String] = [:]
    ) throws -> ProgramArguments {
        try ProgramArguments(words, for: command, environment: environment)
    }

    @Test(
        "An invalid argument is refused by name",
        arguments: [
            (["--prot", "80"], "unknown flag '--prot'"),
            (["--port"], "--port needs a value: PORT"),
            (["--port", "1", "--port", "2"], "--port may be set only once"),
            (["extra"], "unexpected argument 'extra'"),
            (["-p", "80"], "unknown flag '-p'"),
        ])
    func whatCannotBeMeantIsRefusedByName(words: [String], message: String) {
        #expect(throws: UsageError(message: message)) { try parse(words) }
    }

    @Test(
        "A number out of range is refused, with the range in the message",
        arguments: ["70000", "-1", "80a", "8.5", ""])
    func aNumberOutOfRangeIsRefused(text: String) throws {
        let arguments = try parse(["--port", text])
        #expect(throws: UsageError(message: "--port takes a whole number from 0 to 65535, not '\(text)'")) {
            try arguments.integer("port", in: 0...65535)
        }
    }

    @Test("A flag's value may follow an equals sign or a space")
    func aValueMayStandBehindEqualsOrSpace() throws {
        #expect(try parse(["--port=81"]).integer("port", in: 0...65535) == 81)
        #expect(try parse(["--port", "81"]).integer("port", in: 0...65535) == 81)
        #expect(try parse([]).integer("port", in: 0...65535) == nil)
    }

    @Test("A flag takes precedence over its environment variable, and empty variables are ignored")
    func aFlagGoesBeforeItsVariable() throws {
        let environment = ["SLUICE_PORT": "82", "SLUICE_HOST": ""]
        #expect(try parse([], environment: environment).string("port") == "82")
        #expect(try parse(["--port", "83"], environment: environment).string("port") == "83")
        #expect(try parse([], environment: environment).string("host") == nil)
    }

    @Test("An empty variable of a flag that protects the gateway is refused by its name")
    func emptyProtection() throws {
        let flags = CommandSpecification.serve.flags
        let protecting =
            flags.filter { $0.environmentName.hasPrefix("SLUICE_TLS") }
            + flags.filter { ["hsts", "admin-token-file"].contains($0.name) }
        #expect(protecting.count == 9)
        for flag in flags {
            let variable = flag.environmentName
            let isRefused = protecting.contains { $0.name == flag.name }
            let environment = [variable: ""]
            if isRefused {
                let message = "\(variable) is empty: set it to \(flag.placeholder), or remove the variable"
                #expect(throws: UsageError(message: message)) {
                    try ProgramArguments([], for: .serve, environment: environment)
                }
                // A flag takes precedence over its variable, which is then not read.
                #expect(throws: Never.self) {
                    try ProgramArguments(["--\(flag.name)", "x"], for: .serve, environment: environment)
                }
            } else {
                #expect(try ProgramArguments([], for: .serve, environment: environment).all(flag.name) == [])
            }
        }
    }

    /// A broken value for the variable of each flag that refuses some value.
    private static let broken = [
        "SLUICE_HOST": "nowhere", "SLUICE_PORT": "http", "SLUICE_HOSTS": "a b", "SLUICE_NAME": "a/b",
        "SLUICE_LOOPS": "many", "SLUICE_LOG_LEVEL": "INFO", "SLUICE_DRAIN_DELAY": "1s", "SLUICE_DNS": "foo",
        "SLUICE_UPSTREAM_MEMORY": "1GiB", "SLUICE_BREAKER": "true", "SLUICE_COMPRESSION": "true",
        "SLUICE_TIMELINE": "yes", "SLUICE_PROXY": "socks5://a.test", "SLUICE_NO_PROXY": "a.test",
        "SLUICE_PUBLIC": "/nonexistent", "SLUICE_SPOOL_DIRECTORY": "/nonexistent",
        "SLUICE_SLOW": "0", "SLUICE_LOG_FIELDS": "User-Agent,Cookie", "SLUICE_ACCESS_LOG": "1/0",
        "SLUICE_LOG_FORMAT": "yaml", "SLUICE_TRUSTED_PROXIES": "10.0.0.0/33", "SLUICE_REQUEST_ID": "always",
        "SLUICE_CLIENT_HEADER": "X-Forwarded-For", "SLUICE_FORWARD_CLIENT": "on",
        "SLUICE_TRACES": "collector:4318", "SLUICE_TRACE_RATIO": "1.5", "SLUICE_TRACE_RATE": "-1",
        "SLUICE_TRACE_FAILURES": "yes",
    ]

    @Test("A message about a value from a variable names the variable, not the flag", arguments: Self.broken)
    func messageNamesVariable(variable: String, value: String) throws {
        let arguments = try parse([], environment: [variable: value])
        var configuration = GatewayServerConfiguration()
        let error = try #require(throws: UsageError.self) { try configuration.apply(arguments) }
        #expect(error.message.hasPrefix(variable + " "), "\(error.message)")
    }

    @Test("A flag wins over its variable, whatever that contains")
    func brokenVariablesBehindFlags() throws {
        let words = [
            "--host", "::1", "--port", "81", "--hosts", "any", "--name", "edge", "--loops", "1",
            "--log-level", "error", "--access-log", "1/9", "--log-format", "text", "--drain-delay", "0",
            "--log-fields", "User-Agent, X-Tenant", "--slow", "0.25",
            "--dns", "system", "--upstream-memory", "1",
            "--breaker", "on", "--compression", "on", "--timeline", "on", "--proxy", "environment",
            "--public", "/", "--spool-directory", "/tmp",
            "--trusted-proxies", "private, 203.0.113.7", "--client-header", "proxy-protocol",
            "--forward-client", "forwarded", "--request-id", "trusted",
            "--traces", "off", "--trace-ratio", "0", "--trace-rate", "0", "--trace-failures", "off",
        ]
        var configuration = GatewayServerConfiguration()
        try configuration.apply(parse(words, environment: Self.broken))
        #expect(configuration.port == 81 && configuration.logLevel == .error)
        #expect(configuration.accessLog == .every(9) && configuration.logFormat == .text)
        #expect(configuration.logFields.description == "User-Agent, X-Tenant")
        #expect(configuration.slow == .milliseconds(250))
        #expect(configuration.clients.trusted == (try TrustedProxies(["private", "203.0.113.7"])))
        #expect(configuration.clients.header == .proxyProtocol)
        #expect(configuration.clients.forward == .forwarded)
        #expect(configuration.clients.requestID == .trusted)
        // The exceptions of the variables belong to the proxy of the variables.
        #expect(throws: UsageError.self) {
            try configuration.apply(parse([], environment: ["SLUICE_NO_PROXY": "a.test"]))
        }
        #expect(throws: UsageError.self) {
            try configuration.apply(parse(["--proxy", "environment", "--no-proxy", "a.test"]))
        }
    }

    @Test("Variables say who the clients behind proxies are, as flags do")
    func clientVariables() throws {
        var configuration = GatewayServerConfiguration()
        #expect(configuration.clients == ClientSettings())
        try configuration.apply(
            parse(
                [],
                environment: [
                    "SLUICE_TRUSTED_PROXIES": "10.0.0.0/8,loopback", "SLUICE_CLIENT_HEADER": "x-real-ip",
                    "SLUICE_FORWARD_CLIENT": "x-forwarded", "SLUICE_REQUEST_ID": "never",
                ]))
        #expect(configuration.clients.trusted.description == "10.0.0.0/8, 127.0.0.0/8, ::1")
        #expect(configuration.clients.header == .xRealIP)
        #expect(configuration.clients.forward == .xForwarded)
        #expect(configuration.clients.requestID == .never)
        // What no flag names stays.
        configuration.clients.scheme = .https
        try configuration.apply(parse(["--request-id", "any"]))
        #expect(configuration.clients.requestID == .any && configuration.clients.scheme == .https)
        #expect(configuration.clients.header == .xRealIP)
    }

    @Test("Flags set traces, and so do their variables")
    func traces() throws {
        var flags = GatewayServerConfiguration()
        try flags.apply(
            parse([
                "--traces", "http://c:1", "--trace-ratio", "0.25", "--trace-rate", "7",
                "--trace-failures", "off",
            ]))
        #expect(flags.traces.collector?.path == "/v1/traces" && flags.traces.collector?.port == 1)
        #expect(flags.traces.ratio == 0.25 && flags.traces.rate == 7 && !flags.traces.failures)
        var variables = GatewayServerConfiguration()
        try variables.apply(
            parse(
                [],
                environment: [
                    "SLUICE_TRACES": "http://c:1", "SLUICE_TRACE_RATIO": "0.25", "SLUICE_TRACE_RATE": "7",
                    "SLUICE_TRACE_FAILURES": "off",
                ]))
        #expect(variables.traces == flags.traces)
        // What no flag names stays.
        try flags.apply(parse(["--traces", "https://d/x/?key=1", "--trace-rate", "0"]))
        #expect(flags.traces.collector?.path == "/x/" && flags.traces.collector?.query == "key=1")
        #expect(flags.traces.ratio == 0.25 && flags.traces.rate == 0)
        try flags.apply(parse(["--traces", "http://c:1/x"]))
        #expect(flags.traces.collector?.path == "/x")
        try flags.apply(parse(["--traces", "off"]))
        #expect(flags.traces.collector == nil)
    }

    @Test(
        "A value of traces that cannot be used is complained of, and a URL is not shown",
        arguments: [
            (["--traces", "http://user:hush@c:1"], "--traces takes an http or https URL, or off"),
            (["--traces", "http://c:1/?key=hush#x"], "--traces takes an http or https URL, or off"),
            (["--traces", "hush:4318"], "--traces takes an http or https URL, or off"),
            (["--traces", ""], "--traces takes an http or https URL, or off"),
            (["--trace-ratio", "1.1"], "--trace-ratio takes a number from 0 to 1, not '1.1'"),
            (["--trace-ratio", "1%"], "--trace-ratio takes a number from 0 to 1, not '1%'"),
            (["--trace-rate", "-1"], "--trace-rate takes a whole number from 0 to 1000000, not '-1'"),
            (["--trace-rate", "1.5"], "--trace-rate takes a whole number from 0 to 1000000, not '1.5'"),
            (["--trace-failures", "no"], "--trace-failures takes on or off, not 'no'"),
        ])
    func brokenTraces(words: [String], message: String) throws {
        var configuration = GatewayServerConfiguration()
        let error = try #require(throws: UsageError.self) { try configuration.apply(parse(words)) }
        #expect(error.message == message)
        #expect(configuration.traces == GatewayServerConfiguration().traces)
    }

    @Test("Flags and their variables win over the variables of OpenTelemetry")
    func telemetry() throws {
        let environment = [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://other:1", "OTEL_TRACES_SAMPLER": "always_off",
            "OTEL_SERVICE_NAME": "other",
        ]
        var configuration = GatewayServerConfiguration()
        try configuration.apply(parse([], environment: environment))
        #expect(configuration.traces.collector?.host == "other" && configuration.traces.ratio == 0)
        #expect(configuration.traces.resource == ["service.name": "other"])
        let words = ["--traces", "http://c:1", "--trace-ratio", "0.25", "--name", "edge"]
        let names = ["SLUICE_TRACES": "http://c:1", "SLUICE_TRACE_RATIO": "0.25", "SLUICE_NAME": "edge"]
        for arguments in [
            try parse(words, environment: environment),
            try parse([], environment: environment.merging(names) { $1 }),
        ] {
            var configuration = GatewayServerConfiguration()
            try configuration.apply(arguments)
            #expect(configuration.traces.collector?.host == "c" && configuration.traces.ratio == 0.25)
            #expect(configuration.traces.resource.isEmpty && configuration.name == "edge")
        }
        let broken = try parse([], environment: ["OTEL_EXPORTER_OTLP_TIMEOUT": "10s"])
        #expect(
            throws: UsageError(message: "OTEL_EXPORTER_OTLP_TIMEOUT takes milliseconds from 1 to 3600000")
        ) { try configuration.apply(broken) }
    }

    @Test(
        "A setting of clients takes known words and networks, and the message lists them",
        arguments: [
            (
                ["--trusted-proxies", "10.0.0.0/8,,"],
                "--trusted-proxies takes networks separated by commas, private or loopback: "
            ),
            (["--trusted-proxies", "proxy.example"], "--trusted-proxies takes networks separated by commas"),
            (
                ["--client-header", "via"],
                "--client-header takes x-forwarded-for, forwarded, x-real-ip or proxy-protocol, not 'via'"
            ),
            (
                ["--forward-client", "all"],
                "--forward-client takes none, x-forwarded or forwarded, not 'all'"
            ),
            (["--request-id", ""], "--request-id takes any, trusted or never, not ''"),
        ])
    func brokenClients(words: [String], message: String) throws {
        var configuration = GatewayServerConfiguration()
        let error = try #require(throws: UsageError.self) { try configuration.apply(parse(words)) }
        #expect(error.message.hasPrefix(message), "\(error.message)")
        #expect(configuration.clients == ClientSettings())
    }

    @Test(
        "The link to a Kubernetes Service is ignored",
        arguments: ["tcp://10.96.3.4:8080", "udp://10.96.3.4:8080", "sctp://[fd00::1]:8080"])
    func serviceLink(value: String) throws {
        let program = CommandSpecification(
            name: "", summary: "",
            flags: CommandSpecification.serve.flags + [
                ProgramFlag(name: "db-port", placeholder: "PORT", help: ""),
                ProgramFlag(name: "broker", placeholder: "URL", help: ""),
            ])
        let links = ["SLUICE_PORT": value, "SLUICE_DB_PORT": value, "SLUICE_BROKER": value]
        let arguments = try parse([], program, environment: links)
        #expect(arguments.string("port") == nil)
        #expect(arguments.string("db-port") == nil)
        #expect(arguments.string("broker") == value)
        #expect(try parse(["--port", "81"], environment: links).string("port") == "81")
    }

    @Test("Every flag has an environment variable named after it")
    func everyFlagHasAVariable() {
        let names = Set(CommandSpecification.all.flatMap(\.flags).map(\.environmentName))
        #expect(
            names == [
                "SLUICE_HOST", "SLUICE_PORT", "SLUICE_LOOPS", "SLUICE_LOG_LEVEL", "SLUICE_DATA",
                "SLUICE_ACCESS_LOG", "SLUICE_LOG_FORMAT", "SLUICE_LOG_FIELDS", "SLUICE_SLOW", "SLUICE_TRACES",
                "SLUICE_TRACE_RATIO", "SLUICE_TRACE_RATE", "SLUICE_TRACE_FAILURES",
                "SLUICE_TRUSTED_PROXIES", "SLUICE_CLIENT_HEADER", "SLUICE_FORWARD_CLIENT",
                "SLUICE_REQUEST_ID",
                "SLUICE_DRAIN_DELAY", "SLUICE_SPOOL_DIRECTORY", "SLUICE_UPSTREAM", "SLUICE_UPSTREAM_CA",
                "SLUICE_UPSTREAM_CERT", "SLUICE_UPSTREAM_KEY", "SLUICE_UPSTREAM_PIN", "SLUICE_PROXY",
                "SLUICE_NO_PROXY", "SLUICE_WATCH", "SLUICE_TIMELINE", "SLUICE_PUBLIC", "SLUICE_HOSTS",
                "SLUICE_NAME",
                "SLUICE_LATENCY", "SLUICE_BREAKER", "SLUICE_UPSTREAM_CONCURRENCY", "SLUICE_UPSTREAM_MEMORY",
                "SLUICE_DNS", "SLUICE_COMPRESSION", "SLUICE_CONFIG", "SLUICE_STATIC", "SLUICE_STRICT",
                "SLUICE_FORMAT", "SLUICE_WATCH", "SLUICE_INCLUDED", "SLUICE_ADMIN", "SLUICE_ADMIN_TOKEN_FILE",
                "SLUICE_URL", "SLUICE_REQUEST", "SLUICE_LOG", "SLUICE_RATE", "SLUICE_SECONDS", "SLUICE_TLS",
                "SLUICE_TLS_CERT", "SLUICE_TLS_KEY", "SLUICE_TLS_MINIMUM", "SLUICE_TLS_CLIENT_CA",
                "SLUICE_TLS_CLIENT_NAMES", "SLUICE_TLS_CLIENT_AUTH", "SLUICE_REDIRECT_PORT",
                "SLUICE_REDIRECT_TO",
                "SLUICE_HSTS",
            ])
    }

    @Test("The reference has a row for each flag of sluice that other programs lack")
    func referenceOfFlags() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/GatewayCore/GatewayCore.docc/Reference.md")
        let article = try String(contentsOf: path, encoding: .utf8)
        let section = try #require(
            article.components(separatedBy: "\n## Flags of sluice\n").dropFirst().first)
        let table = try #require(section.components(separatedBy: "\n## ").first)
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            row.split(separator: "| ").prefix(3).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let common = Set(GatewayProgram(name: "gateway").serving().flags.map(\.name))
        var expected: [[String]] = []
        for flag in CommandSpecification.all.flatMap(\.flags) where !common.contains(flag.name) {
            let commands = CommandSpecification.all.filter {
                $0.flags.contains { $0.name == flag.name && $0.placeholder == flag.placeholder }
            }
            let names = commands.map(\.name).joined(separator: ", ")
            let placeholder = flag.placeholder.replacingOccurrences(of: "|", with: "\\|")
            let row = ["`--\(flag.name) \(placeholder)`", names, flag.fallback ?? "none"]
            if !expected.contains(row) { expected.append(row) }
        }
        #expect(rows == expected)
    }

    @Test("A flag that may stand without a value does so before another flag and at the end")
    func omittedValues() throws {
        let plan = PlanCommand.specification
        for words in [["--admin"], ["--admin", "--seconds", "2"], ["f", "--admin"]] {
            let arguments = try parse(words, plan)
            #expect(arguments.isGiven("admin"))
            #expect(arguments.all("admin").isEmpty)
        }
        #expect(try parse(["--admin", "127.0.0.1:1"], plan).all("admin") == ["127.0.0.1:1"])
        // Its variable says where the listener is, and not that it is asked.
        let environment = ["SLUICE_ADMIN": "127.0.0.1:1"]
        #expect(try !parse([], plan, environment: environment).isGiven("admin"))
        let bare = try parse(["--admin"], plan, environment: environment)
        #expect(bare.isGiven("admin"))
        #expect(bare.all("admin") == ["127.0.0.1:1"])
    }

    @Test("A repeatable flag keeps its order, and its variable is split at commas")
    func aRepeatedFlagKeepsItsOrder() throws {
        let words = ["--upstream", "a=http://1", "--upstream=b=http://2"]
        #expect(try parse(words).all("upstream") == ["a=http://1", "b=http://2"])
        let environment = ["SLUICE_UPSTREAM": "a=http://1, b=http://2"]
        #expect(try parse([], environment: environment).all("upstream") == ["a=http://1", "b=http://2"])
    }

    @Test("Seconds may have a fraction")
    func secondsMayHaveAFraction() throws {
        #expect(
            try parse(["--drain-delay", "0.25"]).seconds("drain-delay", in: 0...30) == .milliseconds(250))
        #expect(throws: UsageError.self) {
            try parse(["--drain-delay", "31"]).seconds("drain-delay", in: 0...30)
        }
    }

    @Test("A switch accepts only on and off")
    func aSwitchIsOnOrOff() throws {
        for value in ["", "yes", "ON", "true"] {
            #expect(throws: UsageError.self) { try parse(["--timeline", value]).isOn("timeline") }
        }
        #expect(try parse(["--timeline", "on"]).isOn("timeline") == true)
        #expect(try parse([], environment: ["SLUICE_TIMELINE": "off"]).isOn("timeline") == false)
        #expect(try parse([]).isOn("timeline") == nil)
    }

    @Test("A command's help lists each flag with its default and its variable")
    func theHelpNamesEachFlag() {
        for command in CommandSpecification.all {
            let text = command.help(of: "sluice")
            for flag in command.flags {
                #expect(text.contains("--\(flag.name) \(flag.placeholder)"))
                #expect(text.contains(flag.environmentName))
                if let fallback = flag.fallback { #expect(text.contains("default: \(fallback)")) }
            }
            #expect(Help.overview.contains(command.name))
        }
    }
}
