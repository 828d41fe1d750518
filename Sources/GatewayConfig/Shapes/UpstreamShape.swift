import EndpointPlans
import EventIO
import HTTPModel
import JSONBytes
import Networking

extension SettingTable where Root == UpstreamSettings {
    /// An upstream of the format.
    static let upstream = SettingTable(
        "an upstream", definition: "upstream", standard: UpstreamSettings(), exactlyOne: ["url", "urls"],
        example: "{url: \"https://api.example\"}",
        meant: [
            "host": "url", "hosts": "urls", "address": "url", "retries": "retry",
            "circuit_breaker": "breaker", "circuitBreaker": "breaker",
        ],
        isComplete: { values in
            guard values.has("url") == values.has("urls") else { return true }
            let message =
                values.has("url")
                ? "an upstream has url or urls, not both"
                : "an upstream needs the member \"url\" or \"urls\""
            values.reader.error(message, at: values.place)
            return false
        },
        check: { values, changes in
            let urls = changes.applied(to: UpstreamSettings()).urls
            guard let place = values.map["tls"]?.namePlace, changes.has("url") || changes.has("urls"),
                !urls.contains(where: { $0.hasPrefix("https:") || $0.contains("${") })
            else { return }
            values.reader.error("tls needs an https address", at: place)
        }
    ) {
        Setting(
            "url", \.urls,
            ValueType<String>.upstreamURL.notList("; several addresses are urls").map { [$0] },
            "The address: http, https or unix:/path. Its path is a prefix of all calls.")
        Setting(
            "urls", \.urls, .list(of: .upstreamURL, 1...256),
            "Several addresses, between which calls are balanced.")
        Setting(
            "envelope", \.envelope, .envelope,
            "How responses wrap their data: none, generic, or where the parts are.")
        Setting("headers", \.headers, .constantHeaders, "Header fields of each call.")
        Setting("timeouts", \.calls, .settings(.timeouts), "The times that calls may take.")
        Setting("retry", \.calls, .settings(.retry), "How often and when failed calls are sent again.")
        Setting("limits", \.limits, .settings(.upstreamLimits), "Bounds for each event loop.")
        Setting(
            "emptyBody", \.allowsEmptyBody, .bool,
            "Whether a success with an empty body is one without data. A 204 always is.")
        Setting(
            "forwardClient", \.policy.forwardClient, .word,
            "What it learns of the clients of requests. By default what clients.forward says.")
        Setting("tls", \.tls, .present(.tls), "TLS to an https address.")
        Setting(
            "concurrency", \.policy.concurrency, .orOff(.integer(1...1_000_000)),
            "The most attempts in flight; further ones fail at once.")
        Setting(
            "breaker", \.policy.breaker, .orOff(.breaker),
            "When calls fail at once, because the upstream fails too often.")
        Setting(
            "ejection", \.policy.ejection, .orOff(.ejection),
            "When one of several addresses is not used for a while.")
        Setting(
            "slowStart", \.policy.slowStart, .orOff(.duration(UpstreamPolicy.slowStartRange)),
            "How long a new or returned address takes only a part of its load.")
        Setting(
            "health", \.policy.health, .orOff(.health), default: { $0 == nil ? "off" : nil },
            "Checks of the addresses besides the calls.")
        Setting(
            "dns", \.dns,
            .either(ValueType<DNSSettings>.word(["system": .system]).whole, orMapping: .present(.dns)),
            "How the host's name is resolved.")
        Setting(
            "compression", \.policy.compression,
            .word(["unlessNearby": .unlessNearby, "always": .always, "never": .never]),
            "Whether calls accept compressed responses.")
    }
}

/// The envelope of an upstream's responses, if it is declared.
enum EnvelopeShape {
    static let status = Member("status", .pointer, "The place of the result code (JSON Pointer).")
    static let data = Member("data", .pointer, "The place of the data.")
    static let message = Member(
        "message", .pointer, "The place of the upstream's message. Clients see it if revealMessages is set.")
    static let success = Member(
        "success", .list(of: ValueType<String>.text, 1...100),
        "The result codes of a success. They are compared as text, so 0 is the number and the text.")

    static let shape: Shape = Shape(
        "an envelope", definition: "envelope", required: ["status", "data", "success"],
        example: "{status: /code, data: /data, success: [0]}", status, data, message, success)
}

extension ValueType where Value == ResponseEnvelope {
    static let envelope = ValueType.either(
        .word(["none": .none, "generic": .genericResponse]),
        orMapping: .object(EnvelopeShape.shape, prefixes: true) { values in
            guard let status = values.read(EnvelopeShape.status),
                let data = values.read(EnvelopeShape.data),
                let success = values.read(EnvelopeShape.success)
            else { return nil }
            return .declared(
                status: status, data: data, message: values.read(EnvelopeShape.message),
                success: Set(success))
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

extension ValueType where Value == HTTPFields {
    static let constantHeaders = ValueType { definitions in
        .type("object", [("additionalProperties", ValueType<String>.text.schema(&definitions))])
    } read: { node, subject, reader in
        reader.fields(node, subject, of: .request)?.reduce(into: HTTPFields()) { fields, field in
            let (name, member) = field
            let subject = Subject(member.name, of: subject.text)
            guard let scalar = reader.scalar(member.value, subject) else { return }
            if let reference = ReferenceText.first(in: scalar) {
                reader.error(
                    "\(subject.text): \(reference): the headers of an upstream are constant",
                    at: member.value.place)
                return
            }
            guard scalar.isUnknown || HeaderRules.isValue(scalar.text) else {
                reader.error(
                    "\(subject.text): the value has a control character, or blanks around it",
                    at: member.value.place)
                return
            }
            HeaderRules.warn(name.value, scalar.substitution?.hasVariable != true, member.value.place, reader)
            fields.append(name.value, scalar.text)
        }
    }
}
