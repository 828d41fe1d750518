import ASCIIText
import AccessControl
import Crypto
import EndpointPlans
import GatewayCore
import HTTPModel

extension SettingTable where Root == APIKeySettings {
    /// Keys in a field of the request.
    static let apiKeys = SettingTable(
        "apiKeys", standard: APIKeySettings(), required: ["file"],
        example: "{file: /run/secrets/programs.keys}",
        meant: ["name": "header", "field": "header", "keys": "file"]
    ) {
        Setting(
            "file", .apiKeyFile,
            "The file with a line for each key: NAME SHA256 [claim=value ...]; sluice key NAME makes one."
        ) {
            $0.file = $1.path
            $0.table = $1.contents
        }
        Setting("header", \.header, .keyField, "The field that has the key.")
    }
}

extension SettingTable where Root == TokenSettings {
    /// Signed tokens.
    static let tokens = SettingTable(
        "jwt", standard: TokenSettings(), required: ["keys", "algorithms", "issuer", "audience"],
        example: "{keys: {upstream: id, get: /jwks.json}, algorithms: [ES256], "
            + "issuer: \"https://id.example\", audience: app}",
        meant: [
            "jwks": "keys", "jwks_uri": "keys", "jwksUri": "keys", "jwk_url": "keys", "jwksUrl": "keys",
            "alg": "algorithms", "iss": "issuer", "aud": "audience", "typ": "type", "clockSkew": "leeway",
            "clock_skew": "leeway", "cookie_key": "cookie", "cookieName": "cookie",
        ],
        check: { values, changes in
            checkSecrets(values, changes)
            warnOfEndlessTokens(values, changes)
        }
    ) {
        Setting("keys", .tokenKeys, "The keys that verify signatures.") {
            $0.keys = $1.keys
            $0.contents = $1.contents
        }
        Setting(
            "algorithms", \.algorithms, .algorithms,
            "The signature algorithms that are accepted. HS256 stands alone, with keys from a file.")
        Setting("issuer", .text, "The value that iss must have.") { $0.issuer = $1 }
        Setting(
            "audience", \.audience, ValueType<[Located<String>]>.oneOrMore.map { $0.map(\.value) },
            "The accepted audiences: aud must contain one of them.")
        Setting(
            "required", \.required,
            ValueType<[String]>.list(of: .text, 0...32).shown { "[\($0.joined(separator: ", "))]" },
            "The claims that each token must have.")
        Setting(
            "leeway", \.leeway, .duration("0s", "5m"),
            "How far clocks may differ when exp and nbf are checked.")
        Setting("type", \.type, .text, "The required typ, such as at+jwt. By default, any.")
        Setting("cookie", \.cookie, .cookieName, "The cookie that has the token, instead of Authorization.")
    }

    /// A secret verifies and signs, so it must be neither public nor mixed with public keys.
    private static func checkSecrets(_ values: ShapeValues, _ changes: SettingChanges<Root>) {
        let key = values.key
        let tokens = changes.applied(to: standard)
        guard tokens.algorithms.contains(.hs256), !changes.isUnknown(key("algorithms")),
            let place = changes.place(of: key("algorithms"))
        else { return }
        let hasOthers = tokens.algorithms.contains { $0 != .hs256 }
        if hasOthers, let fault = TokenRules.fault(of: tokens.algorithms) {
            values.reader.error("\(key("algorithms")): \(fault)", at: place)
        } else if case .upstream? = tokens.keys {
            values.reader.error(
                "\(key("algorithms")): HS256 needs keys from a file, because whoever has them can sign tokens",
                at: place)
        }
    }

    /// A list replaces the default, which has `exp`.
    private static func warnOfEndlessTokens(_ values: ShapeValues, _ changes: SettingChanges<Root>) {
        let key = values.key("required")
        guard !changes.isUnknown(key), !changes.applied(to: standard).required.contains("exp"),
            let place = changes.place(of: key)
        else { return }
        values.reader.problems.warning(
            "\(key) lacks exp, so a token without an expiry is accepted forever", at: place)
    }

    private static var standard: TokenSettings { TokenSettings() }
}

extension SettingTable where Root == AuthorizerSettings {
    /// Another service that decides.
    static let authorizer = SettingTable(
        "authorize", standard: AuthorizerSettings(), required: ["upstream", "get"],
        example: "{upstream: session, get: /auth, forward: [Cookie]}",
        meant: [
            "path": "get", "headers": "forward", "claims": "take", "authResponseHeaders": "take",
            "responseHeaders": "answer",
        ]
    ) {
        Setting("upstream", \.upstream, .upstreamName, "The upstream that decides.")
        Setting("get", \.get, .constantPath, "The path of the GET, below the upstream's URL.")
        Setting(
            "forward", \.forward,
            ValueType<[HTTPFieldName]>.list(of: .credentialField, 1...16)
                .shown { "[\($0.map(\.description).joined(separator: ", "))]" },
            "The request fields that it gets. Any of them is a credential.")
        Setting("take", \.take, .takenFields, "Fields of its response that become claims, by the claim.")
        Setting(
            "answer", \.answer, .list(of: .authorizerField, 0...16),
            "Fields of its response that the client gets with any answer, such as Set-Cookie.")
        Setting("timeout", \.timeout, .duration("1ms", "1m"), "The time for its answer, with all attempts.")
    }
}

extension SettingTable where Root == ClientCertificateSettings {
    /// Certificates of clients.
    static let certificates = SettingTable(
        "clientCertificate", standard: ClientCertificateSettings(),
        example: "{names: [\"*.partner.example\"]}",
        meant: ["name": "names", "san": "names", "dns": "names", "uris": "names"]
    ) {
        Setting(
            "names", \.names, ValueType<[String]>.list(of: .certificateName, 1...CertificateNames.most),
            "The names of which the certificate has one: DNS names, also *.example.com, or URIs. By default any."
        )
    }
}

// MARK: Keys

/// A file that settings name, and what it contains.
struct SettingFile<Contents: Sendable>: Sendable {
    var path: String
    /// Nil if it is not read.
    var contents: Contents?
}

/// Where the keys of tokens are, and what a file of keys contains.
struct TokenKeySource: Sendable {
    var keys: TokenSettings.Keys
    var contents: [UInt8]?
}

/// The keys that verify the signatures of tokens.
enum TokenKeysShape {
    static let upstream = Member("upstream", .upstreamName, "The upstream that serves the key set (JWKS).")
    static let get = Member("get", .constantPath, "The path of the key set, below the upstream's URL.")
    static let file = Member("file", .keySetFile, "A file with the key set, instead of an upstream.")

    static let shape: Shape = Shape(
        "keys", definition: "tokenKeys", exactlyOne: [upstream.name, file.name],
        example: "{upstream: id, get: /jwks.json}",
        meant: ["url": upstream.name, "path": get.name, "jwks": file.name], upstream, get, file)

    static func decode(_ values: ShapeValues) -> TokenKeySource? {
        let reader = values.reader
        guard values.has(upstream) != values.has(file) else {
            reader.error(
                values.has(file)
                    ? "\(values.prefix): keys have upstream or file, not both"
                    : "\(values.prefix) needs the member \"upstream\" or \"file\"", at: values.place)
            return nil
        }
        if values.has(file) {
            if let place = values.place(of: get) {
                reader.error("\(values.prefix).get belongs to keys with upstream", at: place)
            }
            return values.read(file).map { TokenKeySource(keys: .file($0.path), contents: $0.contents) }
        }
        guard values.has(get) else {
            reader.error(shape.needs(get.name, prefix: values.prefix), at: values.place)
            return nil
        }
        let (name, path) = (values.read(upstream), values.read(get))
        guard let name, let path else { return nil }
        return TokenKeySource(keys: .upstream(name, get: path))
    }
}

extension ValueType where Value == TokenKeySource {
    static let tokenKeys = ValueType.object(TokenKeysShape.shape, prefixes: true) {
        TokenKeysShape.decode($0)
    }
}

extension ValueType where Value == SettingFile<APIKeyTable> {
    /// A file with keys of programs.
    static let apiKeyFile = file(atMost: APIKeyTable.maxLength) { try APIKeyTable(parsing: $0[...]) }
}

extension ValueType where Value == SettingFile<[UInt8]> {
    /// A file with a key set, which may have secrets.
    static let keySetFile = file(atMost: KeySet.maxLength) { bytes in
        _ = try KeySet(parsing: bytes[...], allowsSecrets: true)
        return bytes
    }
}

extension ValueType {
    /// - Parameters:
    ///   - limit: the most bytes that it may have.
    ///   - parse: throws what is wrong with the contents. The reason must not have any of them.
    fileprivate static func file<Contents: Sendable>(
        atMost limit: Int, _ parse: @escaping @Sendable ([UInt8]) throws -> Contents
    ) -> ValueType where Value == SettingFile<Contents> {
        ValueType(schema: ValueType<String>.text.schema) { node, subject, reader in
            guard let path = ValueType<String>.text.read(node, subject, reader) else { return nil }
            guard !node.isUnknown, let source = reader.files else { return SettingFile(path: path) }
            // Noted also if the file is absent, because its appearance changes the configuration.
            reader.readPaths.append(path)
            do throws(ConfigSourceError) {
                let bytes = try source.read(path, limit: limit)
                do {
                    return SettingFile(path: path, contents: try parse(bytes))
                } catch {
                    reader.error("\(subject.text): \(error)", at: node.place)
                    return nil
                }
            } catch {
                // A path in a variable is not shown.
                let tried = Shown.text(reader.redacted(source.absolute(path)), atMost: 200)
                reader.error(
                    "\(subject.text): the file \"\(tried)\" cannot be read: \(error.message)", at: node.place)
                return nil
            }
        }
    }
}

// MARK: Values

extension ValueType where Value == [SignatureAlgorithm] {
    static let algorithms: ValueType = {
        let words = SignatureAlgorithm.allCases.map(\.name)
        let list = ValueType<[Located<SignatureAlgorithm>]>.list(
            of: ValueType<SignatureAlgorithm>(.choice(words), unknown: .es256) {
                (scalar) throws(ScalarFault) in
                if let algorithm = SignatureAlgorithm(name: scalar.text) { return algorithm }
                if scalar.text == "none" {
                    throw .rule("none is not a signature algorithm: anyone could forge such a token")
                }
                throw .unfit("is not \(Words.list(words))" + scalar.suggestion(among: words))
            }.located, 1...words.count)
        return ValueType(schema: list.schema) { node, subject, reader in
            guard let algorithms = list.read(node, subject, reader) else { return nil }
            var known: Set<SignatureAlgorithm> = []
            for algorithm in algorithms
            where !reader.unread.contains(algorithm.place) && !known.insert(algorithm.value).inserted {
                reader.error("\(subject.text): \(algorithm.value.name) is listed twice", at: algorithm.place)
            }
            return algorithms.map(\.value)
        }
    }()
}

extension ValueType where Value == HTTPFieldName {
    /// A field of the client that has a key.
    static let keyField = ValueType(fieldNameTree, unknown: "X-API-Key", written: { $0.description }) {
        (scalar) throws(ScalarFault) in
        let name = try credentialName(scalar)
        guard name != .cookie else { throw .rule("a key stands in a field of its own, and not in Cookie") }
        return name
    }

    /// A field of the client that an authorizer gets.
    static let credentialField = ValueType(fieldNameTree, unknown: "X") { (scalar) throws(ScalarFault) in
        try credentialName(scalar)
    }

    /// A field of an authorizer's response that the client gets.
    static let authorizerField = ValueType(fieldNameTree, unknown: "X") { (scalar) throws(ScalarFault) in
        let name = try name(scalar)
        if let fault = FieldRules.fault(name, in: .answer) { throw .rule(fault) }
        guard !CORSPolicy.fields.contains(where: { CGIName($0) == CGIName(name) }) else {
            throw .rule("\(name) is set by the gateway alone")
        }
        return name
    }

    private static func credentialName(_ scalar: YAMLScalar) throws(ScalarFault) -> HTTPFieldName {
        let name = try name(scalar)
        guard !ClientForwarding.isField(name), !TransportFields.areInRequest(name), !name.describesBody else {
            throw .rule("\(name) cannot be a credential")
        }
        return name
    }
}

extension ValueType where Value == String {
    /// The path of a call without references.
    static let constantPath = ValueType(.type("string", [("pattern", .text("^/"))]), unknown: "/") {
        (scalar) throws(ScalarFault) in
        if let reference = ReferenceText.first(in: scalar) {
            throw .rule("\(reference): the path is constant")
        }
        guard !scalar.text.utf8.contains(UInt8(ascii: "{")) else {
            throw .rule("the path is constant, so it has no {NAME}")
        }
        if let fault = CallPath.fault(PlannedText(constant: scalar.text)) { throw .unfit(fault) }
        return scalar.text
    }

    /// The name of a cookie: a token (RFC 6265 4.1.1).
    static let cookieName = text("the name of a cookie") { HTTPFieldName($0) != nil }
}

extension ValueType where Value == [TakenField] {
    /// Fields by the claim that they become.
    static let takenFields = ValueType.map(
        of: ValueType<HTTPFieldName>.fieldName
    ) { claim, field, _ in
        TakenField(claim.value, from: field.value)
    }
}
