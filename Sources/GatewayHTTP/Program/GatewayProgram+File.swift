import EndpointPlans
import GatewayConfig
import GatewayCore

extension GatewayProgram {
    /// The flag that names a file to serve.
    static var fileFlag: ProgramFlag {
        ProgramFlag(
            name: "config", placeholder: "FILE",
            help: "serve the upstreams and endpoints of this file (YAML) instead of the program's own",
            fallback: "none")
    }

    /// The flag that makes a gateway follow its file.
    static var watchFlag: ProgramFlag {
        ProgramFlag(
            name: "watch", placeholder: "on|off",
            help:
                "with --config: look at the files each second and reload once a change is complete, as on SIGHUP",
            fallback: "off")
    }

    /// Serves a file alone until SIGTERM or SIGINT. Returns the exit code.
    ///
    /// A flag has precedence over the file, the file over a variable, and that over the default. So the
    /// variables of an image do not hide what a file says. A variable that the file overrides is not read.
    package func serve(file path: String, _ arguments: ProgramArguments) throws(UsageError) -> Int32 {
        // Signals have to be blocked before a thread starts.
        Signals.prepare()
        for flag in ["upstream-ca", "upstream-cert", "upstream-key", "upstream-pin"]
        where arguments.string(flag) != nil {
            let source = arguments.source(of: flag)
            throw UsageError(message: "\(source) does not go with --config: set tls in the file")
        }
        let watches = try arguments.isOn("watch") ?? false
        let file = ServedFile(
            path: path, isBesideSwift: false, configure: { try settings($0, arguments) },
            declare: { file, gateway in
                try file.declare(on: gateway)
                for (name, count) in try Self.concurrency(file, arguments) {
                    gateway.upstream(name) { $0.concurrency = count }
                }
            })
        return try GatewayServer.run(of: name) {
            let server = try GatewayServer.make(file, showsWarnings: true)
            if watches { server.watchFile() }
            return server
        }
    }

    private static func concurrency(
        _ file: GatewayFile, _ arguments: ProgramArguments
    ) throws(UsageError) -> [String: Int] {
        let upstreams = file.document.upstreams
        return try UpstreamFlags.concurrency(
            arguments, known: upstreams.map(\.name.value),
            settled: Set(upstreams.filter { $0.changes.has("concurrency") }.map(\.name.value)))
    }

    private func settings(
        _ file: GatewayFile, _ arguments: ProgramArguments
    ) throws(UsageError) -> GatewayServerConfiguration {
        let arguments = arguments.without(variables: file.document.flagsWithValue)
        var settings = listening
        let names = file.document.upstreams.map(\.name.value)
        settings.upstreams = try UpstreamFlags.addresses(arguments, known: names)
        file.apply(to: &settings)
        try settings.apply(arguments)
        try TLSFlags.check(settings, arguments)
        return settings
    }

    /// Checks a file, prints all its problems, and returns the exit code: 1 if there is an error, or a
    /// warning with `--strict on`.
    package static func check(_ arguments: ProgramArguments) throws(UsageError) -> Int32 {
        guard let path = arguments.positional else {
            throw UsageError(message: "check needs a file: sluice check sluice.yaml")
        }
        let isStatic = try arguments.isOn("static") ?? false
        let isStrict = try arguments.isOn("strict") ?? false
        let isJSON = try arguments.wantsJSON
        let (problems, series) = GatewayFile.checked(path, isStatic: isStatic)
        if isJSON {
            let json = ConfigProblem.json(problems, series: series)
            Announcement.print(String(decoding: json, as: UTF8.self) + "\n")
        } else {
            for problem in problems { Announcement.print("\(problem)\n") }
            if let series { Announcement.print("\(path): the metrics have up to \(series) series\n") }
        }
        let isBad = problems.contains { isStrict || $0.severity == .error }
        return isBad ? 1 : 0
    }

    /// Prints the JSON Schema of the format, for editors.
    package static func printSchema(_ arguments: ProgramArguments) throws(UsageError) -> Int32 {
        let isIncluded = try arguments.isOn("included") ?? false
        Announcement.print(ConfigSchemaText.make(isIncluded: isIncluded))
        return 0
    }
}

extension ProgramArguments {
    /// Whether `--format json` is given.
    var wantsJSON: Bool {
        get throws(UsageError) {
            switch string("format") ?? "text" {
            case "text": return false
            case "json": return true
            case let format:
                throw UsageError(message: "\(source(of: "format")) takes text or json, not '\(format)'")
            }
        }
    }
}

extension Announcement {
    /// Writes a problem on standard error as compilers do, without the program's name, so that editors find
    /// the place.
    static func show(_ problem: ConfigProblem) { complain(line: problem.description) }
}
