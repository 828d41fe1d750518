import HTTPModel
import Testing

@testable import GatewayConfig

@Suite("Traces set by the variables of OpenTelemetry")
struct TraceSettingsTests {
    /// Applies variables to settings with these values.
    ///
    /// - Parameter keys: what a flag or a file sets.
    private func settings(
        _ variables: [String: String], from known: TraceSettings = TraceSettings(), set keys: Set<String> = []
    ) throws -> TraceSettings {
        var settings = known
        try settings.apply(variables) { keys.contains($0) }
        return settings
    }

    private static let endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
    private static let tracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"

    @Test("Without variables nothing is exported, and a request to a collector would have 10 s")
    func defaults() throws {
        let settings = try settings(["PATH": "/bin", "OTEL_LOGS_EXPORTER": "none", Self.endpoint: ""])
        #expect(settings == TraceSettings())
        #expect(settings.collector == nil && settings.timeout == .seconds(10))
        #expect(settings.ratio == 1 && settings.rate == 100 && settings.failures)
        #expect(settings.fields.isEmpty && settings.resource.isEmpty)
    }

    @Test(
        "The path of traces is added to the general endpoint",
        arguments: [
            ("http://c:4318", "http://c:4318/v1/traces"), ("http://c:4318/", "http://c:4318/v1/traces"),
            ("https://c/base", "https://c/base/v1/traces"), ("http://c/base/", "http://c/base/v1/traces"),
            ("http://c?key=1", "http://c/v1/traces?key=1"),
        ])
    func generalEndpoint(text: String, expected: String) throws {
        let collector = try HTTPURL(expected)
        #expect(try settings([Self.endpoint: text]).collector == collector)
    }

    @Test(
        "The endpoint of traces is used as it is, and wins over the general one",
        arguments: ["http://c:4318", "http://c:4318/", "https://c/other?key=1"])
    func endpointOfTraces(text: String) throws {
        let collector = try HTTPURL(text)
        #expect(try settings([Self.tracesEndpoint: text]).collector == collector)
        let both = [Self.tracesEndpoint: text, Self.endpoint: "http://general:1"]
        #expect(try settings(both).collector == collector)
        // An empty variable is like no variable.
        let general = try HTTPURL("http://general:1/v1/traces")
        let empty = [Self.tracesEndpoint: "", Self.endpoint: "http://general:1"]
        #expect(try settings(empty).collector == general)
    }

    @Test("OTEL_SDK_DISABLED turns traces off if it is true, in whatever case")
    func disabled() throws {
        for text in ["true", "TRUE", "True"] {
            let settings = try settings([Self.endpoint: "http://c:1", "OTEL_SDK_DISABLED": text])
            #expect(settings.collector == nil, "\(text)")
        }
        for text in ["false", "1", "yes", ""] {
            let settings = try settings([Self.endpoint: "http://c:1", "OTEL_SDK_DISABLED": text])
            #expect(settings.collector != nil, "\(text)")
        }
    }

    @Test("Headers are percent-decoded fields of each request, and the headers of traces win")
    func headers() throws {
        let general = "OTEL_EXPORTER_OTLP_HEADERS"
        let fields = try settings([general: "Authorization=Bearer%20t%3d, x-key = 7 ,x-more=a=b"]).fields
        #expect(fields.count == 3)
        #expect(fields[.authorization] == "Bearer t=")
        #expect(fields["X-Key"] == "7" && fields["X-More"] == "a=b")
        let own = try settings([general: "x-key=1,x-more=2", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "x-key=3"])
        #expect(own.fields.count == 1 && own.fields["X-Key"] == "3")
    }

    @Test("The time-out is in milliseconds, and the time-out of traces wins")
    func timeout() throws {
        let general = "OTEL_EXPORTER_OTLP_TIMEOUT"
        #expect(try settings([general: "2500"]).timeout == .milliseconds(2500))
        let both = [general: "2500", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "1"]
        #expect(try settings(both).timeout == .milliseconds(1))
    }

    @Test(
        "A sampler sets the ratio",
        arguments: [
            ("always_on", nil, 1), ("always_off", nil, 0), ("parentbased_always_on", nil, 1),
            ("parentbased_always_off", nil, 0), ("traceidratio", "0.25", 0.25), ("traceidratio", nil, 1),
            ("parentbased_traceidratio", "0.5", 0.5), ("parentbased_traceidratio", "0", 0),
            ("always_off", "0.5", 0),
        ] as [(String, String?, Double)])
    func sampler(name: String, argument: String?, ratio: Double) throws {
        var known = TraceSettings()
        known.ratio = 0.125
        var variables = ["OTEL_TRACES_SAMPLER": name]
        variables["OTEL_TRACES_SAMPLER_ARG"] = argument
        #expect(try settings(variables, from: known).ratio == ratio)
        // Without a sampler its argument means nothing.
        variables["OTEL_TRACES_SAMPLER"] = nil
        #expect(try settings(variables, from: known).ratio == 0.125)
    }

    @Test("Attributes describe the process, and the service's name wins over its attribute")
    func resource() throws {
        let attributes = ["OTEL_RESOURCE_ATTRIBUTES": "service.name=a, team = b%2Cc ,host.name=h"]
        #expect(
            try settings(attributes).resource == ["service.name": "a", "team": "b,c", "host.name": "h"])
        let named = attributes.merging(["OTEL_SERVICE_NAME": "edge"]) { $1 }
        #expect(try settings(named).resource["service.name"] == "edge")
        #expect(try settings(["OTEL_SERVICE_NAME": "edge"]).resource == ["service.name": "edge"])
    }

    @Test("A variable changes nothing that a flag or a file sets, and its text does not matter then")
    func alreadySet() throws {
        var known = TraceSettings()
        known.collector = try HTTPURL("http://mine:1/v1/traces")
        known.ratio = 0.125
        let endpoints = [Self.endpoint: "http://c:1", "OTEL_SDK_DISABLED": "true"]
        #expect(try settings(endpoints, from: known, set: ["traces.url"]) == known)
        #expect(try settings([Self.tracesEndpoint: "c"], from: known, set: ["traces.url"]) == known)
        let sampler = ["OTEL_TRACES_SAMPLER": "always_off"]
        #expect(try settings(sampler, from: known, set: ["traces.ratio"]) == known)
        #expect(try settings(["OTEL_TRACES_SAMPLER": "x"], from: known, set: ["traces.ratio"]) == known)
        // Each key stands for itself.
        let other = try settings(sampler, from: known, set: ["traces.url", "name", "traces.rate"])
        #expect(other.ratio == 0 && other.collector == known.collector)
    }

    @Test("The name of a flag or a file is the service's, whatever the variables say")
    func name() throws {
        let variables = [
            "OTEL_SERVICE_NAME": "other", "OTEL_RESOURCE_ATTRIBUTES": "service.name=third,team=b",
        ]
        #expect(try settings(variables, set: ["name"]).resource == ["team": "b"])
        #expect(try settings(variables).resource == ["service.name": "other", "team": "b"])
    }

    @Test(
        "A variable that cannot be used is named, and the message does not show its text",
        arguments: [
            (endpoint, "hush:4317", "is not an http or https URL"),
            (endpoint, "grpc://hush:4317", "is not an http or https URL"),
            (tracesEndpoint, "http://user:hush@c", "is not an http or https URL"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "hush", "takes NAME=VALUE, separated by commas"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "=hush", "takes NAME=VALUE, separated by commas"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=hush%4", "takes NAME=VALUE, separated by commas"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=hush%0Ab", "takes NAME=VALUE, separated by commas"),
            ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "a b=hush", "has a name that is not a field's"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "10s", "takes milliseconds from 1 to 3600000"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "0", "takes milliseconds from 1 to 3600000"),
            ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "3600001", "takes milliseconds from 1 to 3600000"),
            ("OTEL_TRACES_SAMPLER", "jaeger_hush", "names no sampler that the gateway has"),
            ("OTEL_RESOURCE_ATTRIBUTES", "hush", "takes NAME=VALUE, separated by commas"),
        ])
    func faults(variable: String, text: String, message: String) throws {
        let fault = try #require(throws: TraceSettings.VariableFault.self) {
            _ = try settings([variable: text])
        }
        #expect(fault.message == "\(variable) \(message)")
        #expect(!fault.message.contains("hush"))
    }

    @Test("A sampler's argument is a number from 0 to 1", arguments: ["1.5", "-0.1", "half", "nan", "50%"])
    func samplerFaults(argument: String) throws {
        let fault = try #require(throws: TraceSettings.VariableFault.self) {
            _ = try settings([
                "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": argument,
            ])
        }
        #expect(fault.message == "OTEL_TRACES_SAMPLER_ARG takes a number from 0 to 1")
    }
}
