import EndpointPlans
package import GatewayConfig
package import GatewayCore
import Networking

/// A gateway that a file describes: its settings, upstreams and endpoints.
package struct GatewayFile: Sendable {
    package let document: ConfigDocument
    /// In the order of the files. None is an error.
    package let warnings: [ConfigProblem]
    /// The files and secrets that were read.
    package let paths: [String]

    /// Reads the file and those that it includes. Blocks while it reads.
    ///
    /// - Parameters:
    ///   - path: the root file.
    ///   - source: where files and variables come from.
    ///   - isBesideSwift: whether endpoints in Swift may call the upstreams that the file does not.
    ///   - willReadTLS: gets the files of certificates and keys before they are read.
    /// - Throws: all problems, if one is an error.
    package init(
        _ path: String, from source: any ConfigSource = SystemConfigSource(), isBesideSwift: Bool = false,
        willReadTLS: ([String]) -> Void = { _ in }
    ) throws(GatewayFileError) {
        let reading = ConfigReading.read(
            path, from: source, mode: isBesideSwift ? .servingBesideSwift : .serving)
        guard let document = reading.document else { throw GatewayFileError(problems: reading.problems) }
        let tls = document.upstreams.map(\.settings.tls) + document.stores.map(\.settings.tls)
        willReadTLS(tls.flatMap { $0?.files ?? [] } + (document.settings.tls?.files ?? []))
        // What the engine refuses is told by `declare`, so that each plan is made once.
        let (faults, _) = Self.faults(of: document)
        guard faults.isEmpty else {
            throw GatewayFileError(problems: Self.sorted(reading.problems + faults, in: document))
        }
        self.document = document
        warnings = Self.sorted(reading.problems + Self.warnings(of: document), in: document)
        paths = reading.paths
    }

    /// Checks a file, without variables and secrets if `isStatic`. Returns all problems in the order of the
    /// files.
    package static func problems(
        of path: String, from source: any ConfigSource = SystemConfigSource(), isStatic: Bool = false
    ) -> [ConfigProblem] {
        check(path, from: source, isStatic: isStatic).problems
    }

    /// Checks a file, and returns how many series its metrics have at most; nil if there is an error.
    static func checked(_ path: String, isStatic: Bool) -> (problems: [ConfigProblem], series: Int?) {
        let (document, problems) = check(path, from: SystemConfigSource(), isStatic: isStatic)
        return (problems, document.map { SeriesEstimate($0).total })
    }

    /// Reads a file without variables, secrets and certificates, and checks what does not depend on them. The
    /// document is nil if there is an error.
    package static func readStatically(_ path: String) -> (
        document: ConfigDocument?, problems: [ConfigProblem]
    ) {
        check(path, from: SystemConfigSource(), isStatic: true)
    }

    private static func check(
        _ path: String, from source: any ConfigSource, isStatic: Bool
    ) -> (document: ConfigDocument?, problems: [ConfigProblem]) {
        let reading = ConfigReading.read(path, from: source, mode: isStatic ? .staticCheck : .serving)
        guard let document = reading.document else { return (nil, reading.problems) }
        let faults = allFaults(of: isStatic ? document.known : document)
        let others =
            faults.isEmpty
            ? warnings(of: document) + (isStatic ? [] : FileTLS(document).warnings) : faults
        return (faults.isEmpty ? document : nil, sorted(reading.problems + others, in: document))
    }

    private static func sorted(
        _ problems: [ConfigProblem], in document: ConfigDocument
    ) -> [ConfigProblem] {
        problems.sorted { $0.isBefore($1, in: document) }
    }

    /// What the engine takes, and an operator should know.
    private static func warnings(of document: ConfigDocument) -> [ConfigProblem] {
        guard let warning = SeriesEstimate(document).warning else { return [] }
        return [document.problem(.warning, warning, at: ConfigPlace(file: 0, line: 1, column: 1))]
    }

    private static func allFaults(of document: ConfigDocument) -> [ConfigProblem] {
        let (faults, configuration) = faults(of: document)
        return faults.isEmpty ? planFaults(of: document, configuration) : faults
    }

    /// What only the modules can refuse that use a value: addresses, certificates. Returns the settings, too.
    private static func faults(
        of document: ConfigDocument
    ) -> (faults: [ConfigProblem], settings: GatewayServerConfiguration) {
        var faults = FileFaults(document)
        var configuration = GatewayServerConfiguration()
        FileSettings(document).apply(to: &configuration, &faults)
        return (faults.problems, configuration)
    }

    /// What the engine refuses. No call is sent.
    private static func planFaults(
        of document: ConfigDocument, _ configuration: GatewayServerConfiguration
    ) -> [ConfigProblem] {
        var environment = GatewayEnvironment(
            transport: UnsentTransport(), upstreamOverrides: configuration.upstreams)
        environment.rateLimitStores = FileAccess(document).uncountedStores
        let gateway = Gateway(environment, limits: configuration.limits, cors: configuration.cors)
        var faults = FileFaults(document)
        declare(document, upstreams(document, on: gateway), on: gateway, &faults)
        guard faults.problems.isEmpty else { return faults.problems }
        do {
            _ = try gateway.responder()
        } catch {
            faults.add("\(error)", at: ConfigPlace(file: 0, line: 1, column: 1))
        }
        return faults.problems
    }

    /// Applies the file's settings. What the file does not set stays as it is.
    package func apply(to configuration: inout GatewayServerConfiguration) {
        var faults = FileFaults(document)
        FileSettings(document).apply(to: &configuration, &faults)
    }

    /// Declares the file's upstreams and endpoints.
    ///
    /// - Parameters:
    ///   - gateway: gets them.
    ///   - declareOthers: declares further endpoints, which may call the file's upstreams.
    /// - Throws: what the engine refuses, with its place in the file, and any error of `declareOthers`.
    package func declare(
        on gateway: Gateway, beside declareOthers: (Gateway) throws -> Void = { _ in }
    ) throws {
        var faults = FileFaults(document)
        let upstreams = Self.upstreams(document, on: gateway)
        // Before the endpoints of the file, which know their places: a path in both is told with it.
        try declareOthers(gateway)
        Self.declare(document, upstreams, on: gateway, &faults)
        guard faults.problems.isEmpty else { throw GatewayFileError(problems: faults.problems) }
    }

    /// The upstreams of a file by name: for calls of parts, and for endpoints that pass requests through.
    private struct Upstreams {
        var planned: [String: PlannedUpstream] = [:]
        var files: [String: FileUpstream] = [:]
    }

    private static func upstreams(_ document: ConfigDocument, on gateway: Gateway) -> Upstreams {
        var upstreams = Upstreams()
        for upstream in document.upstreams {
            let file = FileUpstream(upstream)
            upstreams.files[upstream.name.value] = file
            upstreams.planned[upstream.name.value] = file.declare(on: gateway)
        }
        return upstreams
    }

    private static func declare(
        _ document: ConfigDocument, _ upstreams: Upstreams, on gateway: Gateway, _ faults: inout FileFaults
    ) {
        FileAccess(document).declare(on: gateway)
        for endpoint in document.endpoints {
            FileEndpoint(endpoint: endpoint, document: document, upstreams: upstreams.planned).declare(
                on: gateway, &faults)
        }
        for proxy in document.proxies {
            guard let upstream = upstreams.files[proxy.upstream.value] else {
                faults.add("there is no upstream \"\(proxy.upstream.value)\"", at: proxy.upstream.place)
                continue
            }
            FileProxy(proxy, upstream, in: document).declare(on: gateway, &faults)
        }
    }
}

extension GatewayFile {
    /// Returns an error of a module that does not know of variables, without their values.
    func redacted(_ error: any Error) -> any Error {
        let description = "\(error)"
        let redacted = document.redacted(description)
        return redacted == description || error is GatewayFileError ? error : GatewayStartError(redacted)
    }
}

/// What is wrong with a gateway's file.
package struct GatewayFileError: Error, Sendable, CustomStringConvertible {
    package let problems: [ConfigProblem]

    /// A line for each problem: `sluice.yaml:12:7: error: 5 needs a unit: 5s`.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Collects what the modules refuse that use a file's values.
struct FileFaults {
    private let document: ConfigDocument
    private(set) var problems: [ConfigProblem] = []

    init(_ document: ConfigDocument) {
        self.document = document
    }

    mutating func add(_ message: String, at place: ConfigPlace) {
        problems.append(document.problem(.error, document.redacted(message), at: place))
    }
}

extension ConfigProblem {
    fileprivate func isBefore(_ other: ConfigProblem, in document: ConfigDocument) -> Bool {
        func order(_ problem: ConfigProblem) -> (Int, Int, Int) {
            (document.files.firstIndex(of: problem.file) ?? .max, problem.line, problem.column)
        }
        return order(self) < order(other)
    }
}
