import EndpointPlans
import EventIO
import GatewayCore
import HTTPModel
import HTTPOutbound
import Networking
import NetworkingSession

extension ValueType {
    /// What a module makes of the value, which it may refuse.
    ///
    /// - Parameters:
    ///   - prefix: stands before the module's reason. The value of a variable in it is not shown.
    ///   - unknown: stands for a value with a variable that is not read.
    func parsed<Other>(
        _ prefix: String = "", unknown: Other, _ parse: @escaping @Sendable (Value) throws -> Other
    ) -> ValueType<Other> {
        ValueType<Other>(schema: schema) { node, subject, reader in
            let errors = reader.problems.errorCount
            guard let value = read(node, subject, reader), reader.problems.errorCount == errors else {
                return nil
            }
            guard !node.isUnknown else { return unknown }
            do {
                return try parse(value)
            } catch {
                reader.error(reader.redacted("\(prefix)\(error)"), at: node.firstPlace)
                return nil
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
    /// A numeric address. `localhost` is 127.0.0.1.
    static let listenAddress = ValueType(
        schema: text.schema,
        read: text.parsed(unknown: "") { text in
            let address = text == "localhost" ? "127.0.0.1" : text
            guard SocketAddress(host: address, port: 0) != nil else {
                throw Refusal(
                    "host takes a numeric address such as 127.0.0.1 or ::1, or localhost, not \"\(text)\"")
            }
            return address
        }.read, written: { $0 })

    static let gatewayName = text(GatewayName.rule) { GatewayName($0) != nil }

    /// Text that belongs in a secret: one that stands in the file causes a warning.
    ///
    /// - Parameter name: of a file with the secret, for the warning.
    static func secret(_ name: String) -> ValueType {
        ValueType(schema: text.schema) { node, subject, reader in
            guard let secret = text.read(node, subject, reader) else { return nil }
            if case .scalar(let scalar) = node.content, scalar.substitution?.hasVariable != true {
                reader.problems.warning(
                    "\(subject.text) stands in the file; take it from a secret: \"${file:/run/secrets/\(name)}\"",
                    at: node.place)
            }
            return secret
        }
    }
}

private struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
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

extension ValueType where Value == HostNames {
    static let hostNames = ValueType<[Located<String>]>.oneOrMore.parsed(
        "hosts takes names, or any: ", unknown: .any
    ) { try HostNames($0.map(\.value)) }
}

extension ValueType where Value == [AdminAddress]? {
    /// Nil is the default of a program.
    static let adminAddresses: ValueType = {
        let addresses = ValueType<[Located<String>]>.oneOrMore.parsed(
            "admin.listen: ", unknown: [AdminAddress]()
        ) { try AdminAddress.list($0.map(\.value)) }
        return ValueType(schema: addresses.schema) { node, subject, reader in
            addresses.read(node, subject, reader).map { .some($0) }
        } written: { addresses in
            switch addresses {
            case nil: AdminSettings.standard.description
            case []?: "off"
            case let addresses?: addresses.map(\.description).joined(separator: ", ")
            }
        }
    }()
}

extension ValueType where Value == AdminToken? {
    // The reason never has the token.
    static let adminToken = ValueType<String>.text.parsed(
        "admin.token is not ", unknown: AdminToken(String(repeating: "*", count: 16))
    ) { text -> AdminToken? in
        guard let token = AdminToken(text) else { throw Refusal(AdminToken.rule) }
        return token
    }.shown { $0?.description }
}

extension ValueType where Value == HTTPURL? {
    // The reason never has the URL, whose query may contain a key.
    static let collector = ValueType<String>.text.parsed(
        "traces.url takes ", unknown: HTTPURL?.none
    ) { text -> HTTPURL? in
        do {
            return try TraceSettings.collector(text)
        } catch {
            throw Refusal(TraceSettings.rule)
        }
    }.shown { $0.map { "\($0.scheme.rawValue)://\($0.host):\($0.port)\($0.path)" } ?? "off" }
}

extension ValueType where Value == TrustedProxies {
    static let trustedProxies = ValueType<[Located<String>]>.oneOrMore.parsed(
        "clients.trusted: ", unknown: TrustedProxies()
    ) { try TrustedProxies($0.map(\.value)) }
}

extension ValueType where Value == LoggedFields {
    static let loggedFields = ValueType<[Located<String>]>.oneOrMore.parsed(
        "log.fields: ", unknown: LoggedFields.none
    ) { try LoggedFields($0.map(\.value)) }
}

extension ValueType where Value == ConnectionSettings.Proxy {
    // The reason never has the URL, which may contain a password.
    static let proxy = ValueType<String>.text.parsed(
        "proxy takes http://[user:password@]host[:port] or environment: ",
        unknown: ConnectionSettings.Proxy.none
    ) { $0 == "environment" ? .environment : .fixed(try OutboundProxy($0)) }
}

extension ValueType where Value == NoProxy {
    static let noProxy = ValueType<[Located<String>]>.oneOrMore.parsed("noProxy: ", unknown: NoProxy()) {
        hosts in
        // Names the whole text, in which the value of a variable is found.
        for host in hosts where (try? NoProxy(host.value)) == nil { throw NoProxy.failure(host.value) }
        return try NoProxy(hosts.map(\.value).joined(separator: ","))
    }
}

extension ValueType where Value == SettingChanges<CompressionSettings?> {
    static let compression = ValueType.either(
        ValueType<Bool>.flag.map { isOn in
            SettingChanges { $0 = isOn ? $0 ?? CompressionSettings() : nil }
        }, orMapping: .present(.compression))
}

extension ValueType where Value == [Duration] {
    /// Bounds of buckets, each above the one before.
    static let bucketBounds: ValueType = {
        let bounds = ValueType<[Located<Duration>]>.list(
            of: ValueType<Duration>.duration("0.1ms", "1h").located, MetricsSettings.bucketCounts)
        return ValueType(schema: bounds.schema) { node, subject, reader in
            guard let bounds = bounds.read(node, subject, reader) else { return nil }
            for (bound, next) in zip(bounds, bounds.dropFirst()) where next.value <= bound.value {
                guard !reader.unread.contains(bound.place), !reader.unread.contains(next.place) else {
                    continue
                }
                reader.error("\(subject.text): the bound is not above the one before it", at: next.place)
            }
            return bounds.map(\.value)
        }
    }()
}

extension ValueType where Value == AccessLogging {
    static let accessLogging = ValueType(
        .any(of: [
            .scalar(
                .object([
                    (
                        "enum",
                        .list([.bool(true), .bool(false), .text("on"), .text("off"), .text("failures")])
                    )
                ])), .type("string", [("pattern", .text(AccessLogging.samplePattern))]),
        ]), unknown: .on, written: { $0.description }
    ) { (scalar) throws(ScalarFault) in
        if let logging = AccessLogging(scalar.text) { return logging }
        // YAML 1.1 reads on and off as Booleans, and the format takes both.
        if case .bool(let isOn) = YAMLValue(scalar) { return isOn ? .on : .off }
        throw .unfit("is not \(AccessLogging.rule)" + scalar.suggestion(among: ["on", "off", "failures"]))
    }
}

extension ValueType where Value == CORSPolicy.Origins {
    static let origins: ValueType = {
        let texts = ValueType<[Located<String>]>.oneOrMore
        return ValueType(schema: texts.schema) { node, subject, reader in
            guard let origins = texts.read(node, subject, reader) else { return nil }
            if origins.map(\.value) == ["any"] { return .any }
            for origin in origins where !reader.unread.contains(origin.place) {
                guard let fault = CORSPolicy.fault(of: origin.value) else { continue }
                let hint = origin.value == "*" ? "; write any for all origins" : ""
                reader.error(reader.redacted(fault + hint), at: origin.place)
            }
            return .list(origins.map(\.value))
        }
    }()
}

extension ValueType where Value == [HTTPMethod] {
    static let methods = ValueType<[String]>.list(
        of: .text("a method such as GET") { HTTPMethod(rawValue: $0) != nil && $0 == $0.uppercased() },
        1...20
    ).map { $0.compactMap { HTTPMethod(rawValue: $0) } }
}

extension ValueType where Value == [HTTPFieldName] {
    static let fieldNames = ValueType<[String]>.list(
        of: .text("the name of a header field") { HTTPFieldName($0) != nil }, 0...100
    ).map { $0.compactMap { HTTPFieldName($0) } }
}
