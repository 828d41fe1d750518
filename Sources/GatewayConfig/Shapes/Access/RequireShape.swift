import ASCIIText
import AccessControl
import EndpointPlans
import GatewayCore

/// Who may call an endpoint.
enum RequireShape {
    /// The most entries, scopes, claims and values of one requirement.
    static let counts = 1...64

    static let any = Member(
        "any", ValueType<[Located<String>]>.authNames,
        "The entries of auth, of which the first in the file decides whose credential the request has.")
    static let scopes = Member(
        "scopes", ValueType<[Located<String>]>.scopes, "Scopes, all of which a caller needs.")
    static let claims = Member(
        "claims", ValueType<[PlannedClaim]>.claims,
        "Claims, all of which a caller needs, with the values of which each has one.")
    static let optional = Member(
        "optional", .bool, default: "false", "Whether requests without a credential are served, too.")

    static let shape: Shape = Shape(
        "a requirement", definition: "require", required: [any.name],
        example: "{any: [app, web], scopes: [read]}",
        meant: ["auth": any.name, "anyOf": any.name, "scope": scopes.name, "roles": claims.name], any, scopes,
        claims, optional)

    static func decode(_ values: ShapeValues) -> PlannedRequirement? {
        let entries = values.read(any)
        var requirement = PlannedRequirement(entries ?? [])
        requirement.scopes = values.read(scopes) ?? []
        requirement.claims = values.read(claims) ?? []
        requirement.$isOptional = values.located(optional)
        return entries == nil ? nil : requirement
    }
}

extension ValueType where Value == PlannedRequirement {
    /// `none`, the name of an entry, names, or more.
    static let requirement: ValueType = {
        let names = ValueType<[Located<String>]>.names(
            of: ValueType<String>.authName.notMapping(
                "; a requirement stands without a list around it: require: {any: [app, web]}"),
            1...AccessDeclarations.mostEntries)
        let text = ValueType(schema: names.schema) { node, subject, reader in
            if case .scalar(let scalar) = node.content, scalar.text == AccessName.noName, !scalar.isUnknown {
                return PlannedRequirement()
            }
            return names.read(node, subject, reader).map { PlannedRequirement($0) }
        }
        return .either(
            text, orMapping: .object(RequireShape.shape, prefixes: true) { RequireShape.decode($0) })
    }()
}

extension ValueType where Value == [Located<String>] {
    /// Names of entries of `auth`, or one.
    static let authNames = names(
        of: .authName.notMapping("; name an entry of auth"), 1...AccessDeclarations.mostEntries)

    /// Names of limits, one, or none.
    static let limitNames: ValueType = {
        let names = names(
            of: .limitName.notMapping("; declare the limit under rateLimits of the file, and name it here"),
            0...RateLimitShape.mostOfEndpoint)
        return ValueType(schema: names.schema) { node, subject, reader in
            if case .scalar(let scalar) = node.content, scalar.text == AccessName.noName, !scalar.isUnknown {
                return []
            }
            return names.read(node, subject, reader)
        }
    }()

    /// A list of names, each once, or one name. A name with a problem makes the whole unknown.
    fileprivate static func names(of name: ValueType<String>, _ counts: ClosedRange<Int>) -> ValueType {
        let list = ValueType.list(of: name.located, counts)
        return ValueType { definitions in
            .any(of: [name.schema(&definitions), list.schema(&definitions)])
        } read: { node, subject, reader in
            guard case .list(let items) = node.content else {
                return name.located.read(node, subject, reader).map { [$0] }
            }
            guard let names = list.read(node, subject, reader) else { return nil }
            var known: Set<String> = []
            for name in names where !reader.unread.contains(name.place) && !known.insert(name.value).inserted
            {
                // A name that a variable sets is not shown.
                reader.error("\(subject.text): the name is listed twice", at: name.place)
            }
            return names.count == items.count ? names : nil
        }
    }

    /// The scopes of tokens, or one scope.
    static let scopes: ValueType = {
        let scope = ValueType<String>.text("a scope: visible ASCII characters without blanks, \" and \\") {
            text in
            AccessRule.isScope(text)
        }
        let list = ValueType.list(of: scope.located, RequireShape.counts)
        return ValueType { definitions in
            .any(of: [scope.schema(&definitions), list.schema(&definitions)])
        } read: { node, subject, reader in
            if case .list = node.content { return list.read(node, subject, reader) }
            return scope.located.read(node, subject, reader).map { [$0] }
        }
    }()
}

extension ValueType where Value == String {
    /// The name of an entry of `auth`.
    static let authName = name(of: \.authNames, "entry") { reader, name, isUnknown in
        reader.usedAuth.insert(name)
        if isUnknown { reader.usesUnknownAuth = true }
    }

    /// The name of a limit.
    static let limitName = name(of: \.limitNames, "limit") { reader, name, isUnknown in
        reader.usedLimits.insert(name)
        if isUnknown { reader.usesUnknownLimit = true }
    }

    /// The name of a store.
    static let storeName = name(of: \.storeNames, "store") { reader, name, isUnknown in
        reader.usedStores.insert(name)
        if isUnknown { reader.usesUnknownStore = true }
    }

    /// A name that the root file declares.
    ///
    /// - Parameters:
    ///   - names: the declared names.
    ///   - kind: what has the name.
    ///   - use: gets each name, and whether a variable that is not read sets it.
    private static func name(
        of names: @escaping @Sendable (ConfigReader) -> NameList, _ kind: String,
        use: @escaping @Sendable (ConfigReader, String, Bool) -> Void
    ) -> ValueType {
        ValueType(schema: { _ in .type("string") }) { node, subject, reader in
            guard let scalar = reader.scalar(node, subject) else { return nil }
            use(reader, scalar.text, scalar.isUnknown)
            let names = names(reader)
            guard !scalar.isUnknown, !names.contains(scalar.text) else { return scalar.text }
            // A name taken from a variable may be secret: show neither it nor similar names.
            reader.error(
                "\(subject.text): the \(kind) \(scalar.shown) is not declared"
                    + (scalar.substitution == nil
                        ? Suggestion.textOrNames(for: scalar.text, among: names.names) : ""),
                at: node.place)
            return nil
        }
    }
}

// MARK: Claims

extension ValueType where Value == [PlannedClaim] {
    /// Claims by name, each with its possible values, or one.
    static let claims: ValueType = {
        let value = ValueType<String>.claimValue.located
        let values = ValueType<[Located<String>]>.list(of: value, RequireShape.counts)
        return ValueType { definitions in
            let item = value.schema(&definitions)
            return .type(
                "object", [("additionalProperties", .any(of: [item, values.schema(&definitions)]))])
        } read: { node, subject, reader in
            guard let map = reader.map(node, subject, example: "{plan: [pro, team]}") else { return nil }
            return map.members.compactMap { member in
                let subject = Subject(member.name, of: subject.text)
                guard !member.name.isEmpty else {
                    reader.error("\(subject.text): the name of a claim is empty", at: member.namePlace)
                    return nil
                }
                let read: [Located<String>]? =
                    if case .list = member.value.content {
                        values.read(member.value, subject, reader)
                    } else {
                        value.read(member.value, subject, reader).map { [$0] }
                    }
                return read.map { PlannedClaim(Located(member.name, at: member.namePlace), $0) }
            }
        }
    }()
}

extension ValueType where Value == String {
    /// A value of a claim: text, a number or a Boolean.
    static let claimValue = ValueType(.anyText, unknown: nil, written: { $0 }) {
        (scalar) throws(ScalarFault) in
        if let reference = ReferenceText.first(in: scalar) {
            throw .rule("\(reference): the value is constant")
        }
        switch YAMLValue(scalar) {
        case .bool(let value): return "\(value)"
        case .integer(let number), .decimal(let number): return number
        case .null, .unrepresentable: throw .unfit("is not text, a number or a Boolean")
        case .text: return scalar.text
        }
    }
}
