public import HTTPModel

/// Which requests have their traces exported, and where to.
public struct TraceSettings: Sendable, Hashable {
    /// The URL of a collector that takes OTLP over HTTP; `/v1/traces` if it has no path. Default nil: no
    /// traces.
    public var collector: HTTPURL?
    /// The share of requests whose traces are sampled at their heads, from 0 to 1. For a request of a trusted
    /// proxy with a `traceparent` its flag decides. Default 1.
    public var ratio = 1.0
    /// The most traces that a loop exports in a second; 0 for no limit. Default 100.
    public var rate = 100
    /// Whether failed and slow requests are exported, also those that were not sampled. Default true.
    public var failures = true

    /// Fields of each request to the collector, such as its key.
    package var fields = HTTPFields()
    /// How long a request to the collector may take.
    package var timeout = Duration.seconds(10)
    /// What describes the process, besides what it knows itself.
    package var resource: [String: String] = [:]

    /// Creates settings with the defaults.
    public init() {}

    package static let ratios = 0.0...1.0
    package static let rates = 0...1_000_000
    package static let rule = "an http or https URL, or off"

    /// Reads a flag or a key: nil for `off`.
    ///
    /// - Throws: what is wrong. It never has the text, which may contain a key.
    package static func collector(_ text: String) throws(HTTPURL.Failure) -> HTTPURL? {
        guard text != "off" else { return nil }
        var url = try HTTPURL(text)
        if url.path == "/" { url.path = "/v1/traces" }
        return url
    }
}

// MARK: - The variables of OpenTelemetry

extension TraceSettings {
    /// Why a variable cannot be used.
    package struct VariableFault: Error {
        package let message: String
    }

    /// Applies what the variables `OTEL_...` say of settings that neither a flag nor a file sets.
    ///
    /// - Parameters:
    ///   - environment: the process's.
    ///   - isSet: whether a flag or the file sets the key.
    package mutating func apply(
        _ environment: [String: String], unless isSet: (String) -> Bool
    ) throws(VariableFault) {
        func variable(_ name: String) -> (name: String, value: String)? {
            environment[name].flatMap { $0.isEmpty ? nil : (name, $0) }
        }
        func ofTraces(_ end: String) -> (name: String, value: String)? {
            variable("OTEL_EXPORTER_OTLP_TRACES_\(end)") ?? variable("OTEL_EXPORTER_OTLP_\(end)")
        }
        if !isSet("traces.url") {
            if let (name, value) = ofTraces("ENDPOINT") {
                collector = try Self.endpoint(value, name)
            }
            if variable("OTEL_SDK_DISABLED")?.value.lowercased() == "true" { collector = nil }
        }
        if !isSet("traces.ratio"), let (name, value) = variable("OTEL_TRACES_SAMPLER") {
            try useSampler(value, name, variable("OTEL_TRACES_SAMPLER_ARG"))
        }
        if let (name, value) = ofTraces("HEADERS") {
            for (field, text) in try Self.pairs(value, name) {
                guard let field = HTTPFieldName(field) else {
                    throw VariableFault(message: "\(name) has a name that is not a field's")
                }
                fields.append(field, text)
            }
        }
        if let (name, value) = ofTraces("TIMEOUT") {
            guard let milliseconds = Int(value), (1...3_600_000).contains(milliseconds) else {
                throw VariableFault(message: "\(name) takes milliseconds from 1 to 3600000")
            }
            timeout = .milliseconds(milliseconds)
        }
        if let (name, value) = variable("OTEL_RESOURCE_ATTRIBUTES") {
            for (attribute, text) in try Self.pairs(value, name) { resource[attribute] = text }
        }
        if let service = variable("OTEL_SERVICE_NAME")?.value { resource["service.name"] = service }
        // The gateway's name is the service's.
        if isSet("name") { resource["service.name"] = nil }
    }

    /// A general endpoint is a base, to which the path of traces is added.
    private static func endpoint(_ text: String, _ name: String) throws(VariableFault) -> HTTPURL {
        do {
            var url = try HTTPURL(text)
            if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
                url.path += (url.path.hasSuffix("/") ? "" : "/") + "v1/traces"
            }
            return url
        } catch {
            throw VariableFault(message: "\(name) is not an http or https URL")
        }
    }

    private mutating func useSampler(
        _ text: String, _ name: String, _ argument: (name: String, value: String)?
    ) throws(VariableFault) {
        switch text {
        case "always_on", "parentbased_always_on": ratio = 1
        case "always_off", "parentbased_always_off": ratio = 0
        case "traceidratio", "parentbased_traceidratio":
            guard let argument else { ratio = 1; return }
            guard let value = Double(argument.value), Self.ratios.contains(value) else {
                throw VariableFault(message: "\(argument.name) takes a number from 0 to 1")
            }
            ratio = value
        default: throw VariableFault(message: "\(name) names no sampler that the gateway has")
        }
    }

    /// Reads `name=value,name=value` with percent-encoded values (W3C Baggage).
    private static func pairs(
        _ text: String, _ name: String
    ) throws(VariableFault) -> [(String, String)] {
        var pairs: [(String, String)] = []
        for pair in text.split(separator: ",") {
            guard let equals = pair.firstIndex(of: "="), equals > pair.startIndex,
                let value = decoded(pair[pair.index(after: equals)...])
            else { throw VariableFault(message: "\(name) takes NAME=VALUE, separated by commas") }
            pairs.append((trimmed(pair[..<equals]), value))
        }
        return pairs
    }

    private static func trimmed(_ text: Substring) -> String {
        String(String(text.drop { $0 == " " }).reversed().drop { $0 == " " }.reversed())
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(trimmed(text).utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        let decoded = String(decoding: bytes, as: UTF8.self)
        return decoded.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? decoded : nil
    }
}
