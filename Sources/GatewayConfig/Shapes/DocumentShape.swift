import ASCIIText
import EndpointPlans

/// The members of files that are not settings of the gateway.
enum DocumentShape {
    static let include = Member(
        "include", .list(of: ValueType<String>.includePath.located, 0...ConfigFiles.mostFiles),
        "Further files with upstreams, schemas and endpoints: paths and patterns, relative to this file.")
    static let auth = Member("auth", .auth, "How clients prove who they are, by name.")
    static let rateLimits = Member("rateLimits", .rateLimits, "Limits on requests, by name.")
    static let stores = Member("stores", .stores, "Servers in which processes count together, by name.")
    static let jsonSchema = Member("jsonSchema", .jsonSchema, "How schemas are read.")
    static let schemas = Member("schemas", .schemas, "Schemas that others refer to, by name.")
    static let upstreams = Member("upstreams", .upstreams, "The upstream APIs, by name.")
    static let endpoints: Member<[PlannedEndpoint]> = Member("endpoints", .endpoints, "The endpoints.")
    static let defaults = Member("defaults", .defaults, "Members of all endpoints that do not set them.")

    /// The root file.
    static var shape: Shape { SettingTable.file.shape }

    /// A file that the root file includes.
    static let included: Shape = Shape(
        "an included file", definition: "includedFile",
        example: "{upstreams: {...}, endpoints: [...]}", schemas, upstreams, endpoints)
}

extension ValueType where Value == String {
    static let includePath = ValueType(.type("string"), unknown: nil) { (scalar) throws(ScalarFault) in
        // A path shows in messages, and the value of a variable must not.
        guard scalar.substitution == nil else { throw .rule("a path takes no variables") }
        guard !scalar.text.isEmpty else { throw .rule("the path is empty") }
        return scalar.text
    }
}

// MARK: Collections

extension ValueType where Value == [ConfigUpstream] {
    static let upstreams = ValueType.map(
        of: ValueType<SettingChanges<UpstreamSettings>>.settings(.upstream, prefixes: false)
    ) { name, changes, reader in
        guard UpstreamName.isValid(name.value) else {
            reader.error(
                "\"\(Shown.text(name.value))\" is not a name for an upstream: \(UpstreamName.rule)",
                at: name.place)
            return nil
        }
        return ConfigUpstream(name: name, changes: changes.value)
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
    static let schemas = ValueType { definitions in
        .type("object", [("additionalProperties", ValueType<Schema>.schema.schema(&definitions))])
    } read: { node, subject, reader in
        guard let map = reader.map(node, subject, example: "{name: \(SchemaShape.shape.example)}") else {
            return nil
        }
        return map.members.compactMap { member in
            reader.schemas?.compile(member.value, named: member.name).map {
                NamedSchema(Located(member.name, at: member.namePlace), $0)
            }
        }
    }
}

extension ValueType where Value == [PlannedEndpoint] {
    /// Described here, and read by `ConfigReading`.
    static let endpoints: ValueType<[PlannedEndpoint]> = ValueType { definitions in
        let endpoint = definitions.reference(EndpointShape.shape)
        let proxy = definitions.reference(ProxyShape.shape)
        return .type("array", [("items", .any(of: [endpoint, proxy]))])
    } read: { _, _, _ in
        nil
    }
}

/// The members of `defaults`, which each endpoint reads for itself.
struct EndpointDefaults: Sendable {}

extension ValueType where Value == EndpointDefaults {
    static let defaults = ValueType { definitions in
        definitions.reference(DefaultsShape.shape)
    } read: { _, _, _ in
        nil
    }
}
