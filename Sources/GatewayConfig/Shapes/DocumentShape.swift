import ASCIIText
import EndpointPlans

/// The root file.
enum DocumentShape {
    static let version = Member("version", .version, "The version of the format: 1.")
    static let listen = Member("listen", .listen, "Where the gateway listens.")
    static let log = Member("log", .log, "What the gateway logs.")
    static let drain = Member("drain", .drain, "How the gateway stops.")
    static let name = Member(
        "name",
        .text("1 to 64 letters, digits or any of !#$%&'*+-.^_`|~") {
            $0.utf8.count <= 64 && $0.utf8.allSatisfy(ASCII.isTokenByte)
        }, default: "sluice", "The gateway's name in Via and Proxy-Status.")
    static let hosts = Member("hosts", .oneOrMore, "The host names to answer for (*.example.com), or any.")
    static let publicFolder = Member(
        "public", .text, "A folder with files to serve where no endpoint has the path.")
    static let timeline = Member(
        "timeline", .flag, default: "off", "Whether Prefer: timeline is answered with the times of calls.")
    static let proxy = Member(
        "proxy", .text, "A proxy for upstreams: http://[user:password@]host[:port], or environment.")
    static let noProxy = Member(
        "noProxy", .oneOrMore, "Hosts and networks that are reached without the proxy.")
    static let cors = Member("cors", .cors, "The scripts of other origins that may call the gateway.")
    static let compression = Member(
        "compression", .compression, default: "on",
        "Whether answers are compressed for clients that accept it, and which ones.")
    static let spoolFolder = Member(
        "spoolDirectory", .text, default: "/var/tmp", "A folder for answers that wait for slow readers.")
    static let limits = Member("limits", .limits, "Bounds of the gateway.")
    static let include = Member(
        "include", .list(of: ValueType<String>.includePath.located, 0...ConfigFiles.mostFiles),
        "Further files with upstreams, schemas and endpoints: paths and patterns, relative to this file.")
    static let schemas = Member("schemas", .schemas, "Schemas that others refer to, by name.")
    static let upstreams = Member("upstreams", .upstreams, "The upstream APIs, by name.")
    static let endpoints: Member<[PlannedEndpoint]> = Member("endpoints", .endpoints, "The endpoints.")
    static let defaults = Member("defaults", .defaults, "Members of all endpoints that do not set them.")

    static let shape: Shape = Shape(
        "the file", definition: "file", required: ["version"],
        meant: [
            "host": upstreams.name, "port": listen.name, "timeout": limits.name, "endpoint": endpoints.name,
        ],
        version, listen, log, drain, name, hosts,
        publicFolder,
        timeline, proxy, noProxy, cors, compression, spoolFolder, limits, include, schemas, upstreams,
        endpoints, defaults)

    /// A file that the root file includes.
    static let included: Shape = Shape(
        "an included file", definition: "includedFile", schemas, upstreams, endpoints)

    /// Reads the members that are settings of the gateway.
    static func decode(_ values: ShapeValues, into document: inout ConfigDocument) {
        _ = values.read(version)
        document.listen = values.read(listen) ?? ConfigListen()
        let logging = values.read(log)
        document.logLevel = logging?.level
        document.logsAccess = logging?.access
        let stop = values.read(drain)
        document.drainDelay = stop?.delay
        document.drainDeadline = stop?.deadline
        document.name = values.located(name)
        document.hosts = values.read(hosts)
        document.publicFolder = values.located(publicFolder)
        document.timeline = values.located(timeline)
        document.proxy = values.located(proxy)
        document.noProxy = values.read(noProxy)
        document.cors = values.located(cors)
        document.compression = values.located(compression)
        document.spoolFolder = values.located(spoolFolder)
        document.limits = values.read(limits) ?? ConfigLimits()
        if let noProxy = document.noProxy?.first {
            if !values.has(proxy) {
                values.reader.error("noProxy needs proxy", at: noProxy.place)
            } else if document.proxy?.value == "environment" {
                values.reader.error(
                    "noProxy has no effect with proxy: environment; set no_proxy", at: noProxy.place)
            }
        }
    }
}

extension ValueType where Value == Int {
    static let version = ValueType(.object([("const", .integer(1))]), unknown: 1) {
        (scalar) throws(ScalarFault) in
        guard YAMLValue(scalar) == .integer("1") else {
            throw .unfit("is not supported; this program reads version 1")
        }
        return 1
    }
}

extension ValueType where Value == String {
    static let includePath = ValueType(.type("string"), unknown: nil) { (scalar) throws(ScalarFault) in
        // A path shows in messages, and the value of a variable must not.
        guard scalar.substitution == nil else { throw .rule("a path takes no variables") }
        guard !scalar.text.isEmpty else { throw .rule("the path is empty") }
        return scalar.text
    }
}

extension ValueType where Value == [Located<String>] {
    /// A list of texts, or one text.
    static let oneOrMore: ValueType = {
        let list = ValueType.list(of: ValueType<String>.text.located, 1...1000)
        return ValueType { definitions in
            .any(of: [.type("string"), list.schema(&definitions)])
        } read: { node, subject, reader in
            if case .list = node.content { return list.read(node, subject, reader) }
            return ValueType<String>.text.located.read(node, subject, reader).map { [$0] }
        }
    }()
}

// MARK: Collections

extension ValueType where Value == [ConfigUpstream] {
    static let upstreams = ValueType.map(of: ValueType<ConfigUpstream>.upstream) { name, upstream, reader in
        var upstream = upstream.value
        upstream.name = name
        guard UpstreamName.isValid(name.value) else {
            reader.error(
                "\"\(Shown.text(name.value))\" is not a name for an upstream: \(UpstreamName.rule)",
                at: name.place)
            return nil
        }
        return upstream
    }
}

enum UpstreamName {
    static let rule = "1 to 64 letters, digits, _ - and ."

    static func isValid(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                ASCII.isLetter(byte) || ASCII.isDigit(byte)
                    || [UInt8(ascii: "_"), Byte.minus, Byte.point].contains(byte)
            }
    }
}

extension ValueType where Value == [NamedSchema] {
    static let schemas = ValueType.map(of: ValueType<Schema>.schema) { name, schema, _ in
        NamedSchema(name, schema.value)
    }
}

extension ValueType where Value == [PlannedEndpoint] {
    /// Described here, and read by `ConfigReading`.
    static let endpoints: ValueType<[PlannedEndpoint]> = ValueType { definitions in
        let endpoint = definitions.reference(EndpointShape.shape.definition) {
            EndpointShape.shape.schema(&$0)
        }
        let proxy = definitions.reference(ProxyShape.shape.definition) { ProxyShape.shape.schema(&$0) }
        return .type("array", [("items", .any(of: [endpoint, proxy]))])
    } read: { _, _, _ in
        nil
    }
}

/// The members of `defaults`, which each endpoint reads for itself.
struct EndpointDefaults: Sendable {}

extension ValueType where Value == EndpointDefaults {
    static let defaults = ValueType { definitions in
        definitions.reference(DefaultsShape.shape.definition) { DefaultsShape.shape.schema(&$0) }
    } read: { _, _, _ in
        nil
    }
}
