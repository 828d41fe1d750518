import ASCIIText
import EndpointPlans
import EventIO
package import GatewayConfig
import Glibc

/// Prints the calls of a file's endpoints, and what a load takes of the gateway.
package enum PlanCommand {
    package static let specification: CommandSpecification = {
        var admin = AdminClient.addressFlag
        admin.placeholder = "[ADDRESS]"
        admin.help =
            "measure the running gateway that serves the file, at its admin listener, instead of estimating"
        admin.mayOmitValue = true
        var command = CommandSpecification(
            name: "plan",
            summary:
                "print the calls of a file's endpoints, their worst latency and number, and what a load takes",
            flags: [
                ProgramFlag(
                    name: "format", placeholder: "text|json", help: "how the plan is printed",
                    fallback: "text"),
                ProgramFlag(
                    name: "rate", placeholder: "N",
                    help: "requests a second, all endpoints alike: add the capacity that they take",
                    fallback: "none, with --admin the measured one"),
                ProgramFlag(
                    name: "latency", placeholder: "NAME=TIME",
                    help: "how long an upstream takes to answer: diary=40ms",
                    fallback: "50 ms", mayRepeat: true),
                ProgramFlag(
                    name: "loops", placeholder: "N", help: "event loops of the gateway",
                    fallback: "the file's, else the cores of this machine"),
                admin,
                AdminClient.tokenFlag,
                ProgramFlag(
                    name: "seconds", placeholder: "N",
                    help: "with --admin: how long to measure", fallback: "\(usualSeconds)"),
            ], positionals: ["FILE", "['GET /path']"])
        command.footer = """

            An estimate assumes responses of 1 KiB and answers without compression. Without a request in the measured
            time, --admin tells of all requests since the start of the gateway.

            """
        return command
    }()

    private static let usualSeconds = 5
    /// One metrics text serves all scrapers of a second.
    private static let secondsRange = 2...3600
    private static let adminTimeout = Duration.seconds(5)

    /// Returns the exit code: 1 if the file has an error, or if the gateway cannot be asked.
    package static func run(
        _ arguments: ProgramArguments, _ settings: AdminSettings, of program: String
    ) throws(UsageError) -> Int32 {
        guard let path = arguments.positional else {
            throw UsageError(message: "plan needs a file: sluice plan sluice.yaml")
        }
        let isJSON = try arguments.wantsJSON
        let rate = try arguments.integer("rate", in: CapacityLoad.rateRange)
        let loops = try arguments.integer("loops", in: GatewayServerConfiguration.Ranges.loops)
        let seconds = try arguments.integer("seconds", in: secondsRange) ?? usualSeconds
        let isMeasured = arguments.isGiven("admin")
        try checkFlags(arguments, hasLoad: rate != nil || isMeasured, isMeasured: isMeasured)
        let client = isMeasured ? try AdminClient(arguments, settings) : nil
        guard let document = GatewayProgram.document(of: path) else { return 1 }
        let plans: [EndpointReport]
        do {
            plans = try EndpointReport.plans(of: document, only: arguments.positionals.dropFirst().first)
        } catch {
            throw UsageError(message: error.description)
        }
        let latencies = try latencies(arguments, of: document)
        var report: CapacityReport?
        do throws(AdminClient.Failure) {
            if let client {
                report = try measure(client, document, rate: rate.map(Double.init), seconds: seconds)
            } else if let rate {
                report = estimate(document, rate: Double(rate), latencies, loops: loops)
            }
        } catch {
            Announcement.complain(error.message, by: program)
            return 1
        }
        print(plans, report, isJSON: isJSON)
        return 0
    }

    private static func print(_ plans: [EndpointReport], _ report: CapacityReport?, isJSON: Bool) {
        guard !isJSON else {
            let json = EndpointReport.json(plans, report)
            return Announcement.print(String(decoding: json, as: UTF8.self) + "\n")
        }
        let text = EndpointReport.text(plans)
        let separator = text.isEmpty || report == nil ? "" : "\n"
        Announcement.print(text + separator + (report?.text ?? ""))
    }

    // MARK: Flags

    private static func checkFlags(
        _ arguments: ProgramArguments, hasLoad: Bool, isMeasured: Bool
    ) throws(UsageError) {
        for flag in ["latency", "loops"] where arguments.isGiven(flag) {
            guard hasLoad else { throw UsageError(message: "--\(flag) needs --rate") }
            guard !isMeasured else {
                throw UsageError(message: "--\(flag) does not go with --admin, which measures it")
            }
        }
        if arguments.isGiven("seconds"), !isMeasured { throw UsageError(message: "--seconds needs --admin") }
        guard arguments.all("admin").count <= 1 || !isMeasured else {
            throw UsageError(message: "plan asks one admin listener, not \(arguments.all("admin").count)")
        }
    }

    /// Parses `diary=40ms` to `["diary": 40_000_000]`.
    private static func latencies(
        _ arguments: ProgramArguments, of document: ConfigDocument
    ) throws(UsageError) -> [String: Nanoseconds] {
        // The variable of this name belongs to the demo's samples.
        guard arguments.isGiven("latency") else { return [:] }
        let names = document.upstreams.map(\.name.value)
        var latencies: [String: Nanoseconds] = [:]
        for text in arguments.all("latency") {
            guard let (name, value) = UpstreamFlags.named(text), let time = CapacityLoad.latency(value) else {
                throw UsageError(
                    message: "--latency takes NAME=TIME, from 1ms to 1h, such as diary=40ms, not '\(text)'")
            }
            guard names.contains(name) else {
                throw UsageError(
                    message: "--latency: no upstream is named \"\(Shown.text(name))\""
                        + Suggestion.textOrNames(for: name, among: names))
            }
            guard latencies.updateValue(time, forKey: name) == nil else {
                throw UsageError(message: "--latency sets '\(name)' twice")
            }
        }
        return latencies
    }

    // MARK: Capacity

    private static func estimate(
        _ document: ConfigDocument, rate: Double, _ latencies: [String: Nanoseconds], loops: Int?
    ) -> CapacityReport {
        let shares = shares(of: document, loops: loops, descriptors: ProcessLimits.raiseDescriptorLimit())
        let load = CapacityLoad(rate: rate, latencies: latencies, loops: loops)
        return CapacityReport(document, load, shares)
    }

    private static func shares(of document: ConfigDocument, loops: Int?, descriptors: Int) -> DescriptorShares
    {
        var settings = document.knownSettings
        settings.loops = loops ?? settings.loops
        // As a program has it.
        settings.admin.fallback = [AdminSettings.standard]
        return settings.descriptorShares(of: descriptors)
    }

    /// Reads the metrics twice. Blocks for `seconds`.
    private static func measure(
        _ client: AdminClient, _ document: ConfigDocument, rate: Double?, seconds: Int
    ) throws(AdminClient.Failure) -> CapacityReport {
        let before = MetricSamples(try client.text("/metrics", within: adminTimeout))
        let start = ContinuousClock.now
        sleep(UInt32(seconds))
        let after = MetricSamples(try client.text("/metrics", within: adminTimeout))
        let passed = (ContinuousClock.now - start) / .seconds(1)
        let status = try client.get("/status", within: adminTimeout)
        guard status.status == .ok else {
            throw AdminClient.Failure(message: client.complaint("/status", status))
        }
        guard
            let measurement = CapacityMeasurement(
                before: before, after: after, seconds: passed, now: Double(time(nil)), status.body)
        else { throw AdminClient.Failure(message: client.complaint("/metrics")) }
        let descriptors = measurement.limits.first { $0.name == "descriptors" }.map { Int($0.limit) }
        let shares = shares(
            of: document, loops: measurement.loops,
            descriptors: descriptors ?? ProcessLimits.raiseDescriptorLimit())
        return CapacityReport(measurement, of: document, rate: rate, shares)
    }
}
