import EndpointPlans
import HTTPModel
import JSONBytes

/// An upstream of the format.
enum UpstreamShape {
    static let url = Member(
        "url", .upstreamURL.notList("; several addresses are urls"),
        "The address: http, https or unix:/path. Its path is a prefix of all calls.")
    static let urls = Member(
        "urls", .list(of: ValueType<String>.upstreamURL.located, 1...256),
        "Several addresses, between which calls are balanced.")
    static let envelope = Member(
        "envelope", .envelope, default: "none",
        "How responses wrap their data: none, generic, or where the parts are.")
    static let headers = Member("headers", .constantHeaders, "Header fields of each call.")
    static let timeouts = Member("timeouts", .timeouts, "The times that calls may take.")
    static let retry = Member("retry", .retry, "How often and when failed calls are sent again.")
    static let limits = Member("limits", .upstreamLimits, "Bounds for each event loop.")
    static let emptyBody = Member(
        "emptyBody", .bool, default: "false",
        "Whether a success with an empty body is one without data. A 204 always is.")
    static let tls = Member("tls", .tls, "TLS to an https address.")
    static let concurrency = Member(
        "concurrency", .switchable(.integer(1...1_000_000)), default: "off",
        "The most attempts in flight; further ones fail at once.")
    static let breaker = Member(
        "breaker", .switchable(.breaker), "When calls fail at once, because the upstream fails too often.")
    static let ejection = Member(
        "ejection", .switchable(.ejection), "When one of several addresses is not used for a while.")
    static let slowStart = Member(
        "slowStart", .switchable(.time("0s", "10m")), default: "10s",
        "How long a new or returned address takes only a part of its load.")
    static let health = Member(
        "health", .switchable(.healthCheck), default: "off", "Checks of the addresses besides the calls.")
    static let dns = Member("dns", .dns, "How the host's name is resolved.")
    static let compression = Member(
        "compression", ValueType<ConfigUpstreamCompression>.word, default: "unlessNearby",
        "Whether calls accept compressed responses.")

    static let shape: Shape = Shape(
        "an upstream", definition: "upstream", exactlyOne: ["url", "urls"],
        meant: [
            "host": url.name, "hosts": urls.name, "address": url.name, "retries": retry.name,
            "circuit_breaker": breaker.name, "circuitBreaker": breaker.name,
        ], url, urls, envelope, headers,
        timeouts,
        retry, limits, emptyBody, tls, concurrency, breaker, ejection, slowStart, health, dns,
        compression)

    /// Decodes an upstream without its name.
    static func decode(_ values: ShapeValues) -> ConfigUpstream? {
        let reader = values.reader
        let addresses: [Located<String>]?
        switch (values.has(url), values.has(urls)) {
        case (true, true):
            reader.error("an upstream has url or urls, not both", at: values.place)
            return nil
        case (false, false):
            reader.error("an upstream needs the member \"url\" or \"urls\"", at: values.place)
            return nil
        case (true, false): addresses = values.located(url).map { [$0] }
        case (false, true): addresses = values.read(urls)
        }
        var upstream = ConfigUpstream(name: Located("", at: values.place), urls: addresses ?? [])
        upstream.envelope = values.located(envelope)
        upstream.headers = values.read(headers) ?? []
        upstream.timeouts = values.read(timeouts) ?? ConfigTimeouts()
        upstream.retry = values.read(retry) ?? ConfigRetry()
        upstream.limits = values.read(limits) ?? ConfigUpstreamLimits()
        upstream.emptyBody = values.located(emptyBody)
        upstream.tls = values.located(tls)
        upstream.concurrency = values.located(concurrency)
        upstream.breaker = values.located(breaker)
        upstream.ejection = values.located(ejection)
        upstream.slowStart = values.located(slowStart)
        upstream.health = values.located(health)
        upstream.dns = values.located(dns)
        upstream.compression = values.located(compression)
        if let tlsPlace = values.place(of: tls), let addresses,
            !addresses.contains(where: { $0.value.hasPrefix("https:") || $0.value.contains("${") })
        {
            reader.error("tls needs an https address", at: tlsPlace)
        }
        return upstream
    }
}

extension ValueType where Value == ConfigUpstream {
    static let upstream = ValueType.object(UpstreamShape.shape) { UpstreamShape.decode($0) }
}

/// The envelope of an upstream's responses, if it is declared.
enum EnvelopeShape {
    static let status = Member("status", .pointer, "The place of the result code (JSON Pointer).")
    static let data = Member("data", .pointer, "The place of the data.")
    static let message = Member(
        "message", .pointer, "The place of the upstream's message. Clients see it if revealMessages is set.")
    static let success = Member(
        "success", .list(of: ValueType<String>.text.located, 1...100),
        "The result codes of a success. They are compared as text, so 0 is the number and the text.")

    static let shape: Shape = Shape(
        "an envelope", definition: "envelope", required: ["status", "data", "success"], status, data, message,
        success
    )
}

extension ValueType where Value == ConfigEnvelope {
    private enum Word: String, CaseIterable { case none, generic }

    static let envelope = ValueType.either(
        ValueType<Word>.word.map { $0 == .none ? .none : .generic },
        orMapping: .object(EnvelopeShape.shape, prefixes: true) { values in
            guard let status = values.located(EnvelopeShape.status),
                let data = values.located(EnvelopeShape.data),
                let success = values.read(EnvelopeShape.success)
            else { return nil }
            return .declared(
                status: status, data: data, message: values.located(EnvelopeShape.message), success: success)
        })
}

extension ValueType where Value == JSONPointer {
    static let pointer = ValueType(.type("string", [("pattern", .text("^(/.*)?$"))]), unknown: .root) {
        (scalar) throws(ScalarFault) in
        do throws(JSONPointer.ParseError) {
            return try JSONPointer(scalar.text)
        } catch {
            throw scalar.substitution == nil
                ? .rule(error.description) : .unfit("is not a JSON Pointer such as /data/items")
        }
    }
}

extension ValueType where Value == [ConfigConstantHeader] {
    static let constantHeaders = ValueType { definitions in
        .type("object", [("additionalProperties", ValueType<String>.text.schema(&definitions))])
    } read: { node, subject, reader in
        reader.fields(node, subject, of: .request)?.compactMap { name, member in
            let subject = Subject(member.name, of: subject.text)
            guard let scalar = reader.scalar(member.value, subject)
            else {
                return nil
            }
            if let reference = ReferenceText.first(in: scalar) {
                reader.error(
                    "\(subject.text): \(reference): the headers of an upstream are constant",
                    at: member.value.place)
                return nil
            }
            guard scalar.isUnknown || HeaderRules.isValue(scalar.text) else {
                reader.error(
                    "\(subject.text): the value has a control character, or blanks around it",
                    at: member.value.place)
                return nil
            }
            HeaderRules.warn(name.value, scalar.substitution?.hasVariable != true, member.value.place, reader)
            return ConfigConstantHeader(name: name, value: Located(scalar.text, at: member.value.place))
        }
    }
}
