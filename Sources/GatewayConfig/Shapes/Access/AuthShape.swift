import ASCIIText
import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes

/// How clients prove who they are.
enum AuthShape {
    static let apiKeys = Member("apiKeys", .settings(.apiKeys), "A key in a field of the request.")
    static let jwt = Member("jwt", .settings(.tokens), "A signed token.")
    static let authorize = Member(
        "authorize", .settings(.authorizer), "Another service, which is asked for each request.")
    static let clientCertificate = Member(
        "clientCertificate", .settings(.certificates), "A certificate that the TLS handshake has verified.")
    static let send = Member(
        "send", .sentFields, "Fields about the caller that upstreams get; no client can set them.")

    static let shape: Shape = Shape(
        "an entry of auth", definition: "auth",
        exactlyOne: [apiKeys.name, jwt.name, authorize.name, clientCertificate.name],
        example: "{apiKeys: {file: /run/secrets/programs.keys}}",
        meant: [
            "jwks": jwt.name, "apiKey": apiKeys.name, "api_keys": apiKeys.name, "keys": apiKeys.name,
            "bearer": jwt.name,
            "oidc": jwt.name, "oauth2": jwt.name, "forwardAuth": authorize.name,
            "auth_request": authorize.name,
            "authRequest": authorize.name, "mtls": clientCertificate.name,
            "certificate": clientCertificate.name, "headers": send.name,
        ], apiKeys, jwt, authorize, clientCertificate, send)

    static func decode(_ values: ShapeValues) -> ConfigAuth? {
        let kinds = [apiKeys.name, jwt.name, authorize.name, clientCertificate.name].filter {
            values.has($0)
        }
        guard kinds.count == 1 else {
            values.reader.error(
                kinds.isEmpty
                    ? "an entry of auth needs the member \"apiKeys\", \"jwt\", \"authorize\" or \"clientCertificate\""
                    : "an entry of auth has one of apiKeys, jwt, authorize and clientCertificate, but this one has "
                        + Words.list(kinds, "and"),
                at: kinds.last.flatMap { values.map[$0]?.namePlace } ?? values.place)
            return nil
        }
        let sent = values.read(send) ?? []
        let method: AuthMethod
        var places: [(key: String, place: ConfigPlace)] = []
        if let changes = values.read(apiKeys) {
            method = .apiKeys(changes.applied(to: SettingTable.apiKeys.standard))
            places = changes.places
        } else if let changes = values.read(jwt) {
            method = .jwt(changes.applied(to: SettingTable.tokens.standard))
            places = changes.places
        } else if let changes = values.read(authorize) {
            method = .authorize(changes.applied(to: SettingTable.authorizer.standard))
            places = changes.places
        } else if let changes = values.read(clientCertificate) {
            method = .clientCertificate(changes.applied(to: SettingTable.certificates.standard))
            places = changes.places
        } else {
            return nil
        }
        var entry = ConfigAuth(Located(""), method)
        entry.sent = sent
        entry.hidesSource = [(apiKeys.name, "header"), (jwt.name, "cookie"), (authorize.name, "forward")]
            .contains { kind, key in
                guard case .map(let map)? = values.node(kind)?.content else { return false }
                return map[key]?.value.firstVariable != nil
            }
        let prefix = values.prefix.utf8.count + 1
        for (key, place) in places { entry.places[String(Substring(key.utf8.dropFirst(prefix)))] = place }
        return entry
    }
}

/// The names of entries of `auth`, of limits and of stores.
enum AccessName {
    /// Whether a name is valid and not a word of the format. Reports others.
    static func check(_ name: Located<String>, of kind: String, _ reader: ConfigReader) -> Bool {
        guard AccessDeclarations.isName(name.value) else {
            reader.error(
                "\"\(Shown.text(name.value))\" is not a name for \(kind): \(AccessDeclarations.nameRule)",
                at: name.place)
            return false
        }
        guard name.value != noName else {
            reader.error(
                "\"\(noName)\" is a word of the format and not a name for \(kind)",
                at: name.place)
            return false
        }
        return true
    }

    /// Says that an endpoint has neither entries nor limits.
    static let noName = "none"
}

extension ValueType where Value == [ConfigAuth] {
    static let auth: ValueType = {
        let entries = ValueType.map(of: ValueType<ConfigAuth>.authEntry) {
            name, entry, reader -> ConfigAuth? in
            guard AccessName.check(name, of: "an entry of auth", reader) else { return nil }
            var named = entry.value
            named.name = name
            return named
        }
        return ValueType(schema: entries.schema) { node, subject, reader in
            let most = AccessDeclarations.mostEntries
            if case .map(let map) = node.content, map.members.count > most {
                reader.error(
                    "auth has \(map.members.count) entries, at most \(most)",
                    at: map.members[most].namePlace)
            }
            return entries.read(node, subject, reader)
        }
    }()
}

extension ValueType where Value == ConfigAuth {
    static let authEntry = ValueType.object(AuthShape.shape, prefixes: true) { AuthShape.decode($0) }
}

extension ValueType where Value == [PlannedField] {
    /// Fields about the caller, whose values have claims.
    static let sentFields = ValueType { definitions in
        .type("object", [("additionalProperties", ValueType<PlannedText>.template.schema(&definitions))])
    } read: { node, subject, reader in
        var known: [CGIName: HTTPFieldName] = [:]
        let parent = subject.parent
        return reader.fields(node, subject, of: .request)?.compactMap { name, member in
            let subject = Subject(member.name, of: subject.text)
            if let fault = SentField.fault(of: name.value) {
                reader.error("\(parent) \(fault)", at: name.place)
                return nil
            }
            if let other = known.updateValue(name.value, forKey: CGIName(name.value)) {
                reader.error(
                    "\(other) and \(name.value) are the same field to CGI programs, which turn - into _",
                    at: name.place)
                return nil
            }
            guard let scalar = reader.scalar(member.value, subject),
                let value = reader.claimTemplate(scalar, at: member.value.place)
            else { return nil }
            if let constant = value.constant, !scalar.isUnknown, !HeaderRules.isValue(constant) {
                reader.error(
                    "\(subject.text): the value has a control character, or blanks around it",
                    at: member.value.place)
                return nil
            }
            return PlannedField(name, Located(value, at: member.value.place))
        }
    }
}

extension ConfigReader {
    /// Returns a text whose references all name claims; nil after a problem.
    fileprivate func claimTemplate(_ scalar: YAMLScalar, at place: ConfigPlace) -> PlannedText? {
        TemplateParser.parse(scalar, at: place, problems) { root, path, text -> PlanReference? in
            guard root == .claims else {
                error("\(text): send takes only claims, such as {claims.sub}", at: place)
                return nil
            }
            guard path.first?.name != nil else {
                error("\(text): a claim has a name, such as {claims.sub}", at: place)
                return nil
            }
            guard !path.contains(.all) else {
                error("\(text): send takes a list as it is, without [*]", at: place)
                return nil
            }
            return PlanReference(.claims, ValuePath(steps: path), text: text, at: place)
        }
    }
}
