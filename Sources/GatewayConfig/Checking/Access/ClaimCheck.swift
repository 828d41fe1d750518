import ASCIIText
import AccessControl
import EndpointPlans
import JSONBytes

/// Warns of claims that a caller may lack.
struct ClaimCheck {
    let access: AccessCheck
    /// The keys of entries, by the entry's name.
    private var keys: [String: APIKeyTable] = [:]

    private var reader: ConfigReader { access.reader }

    init(access: AccessCheck) { self.access = access }

    mutating func run() {
        guard reader.problems.errorCount == 0 else { return }
        for entry in access.document.auth {
            guard case .apiKeys(let settings) = entry.method else { continue }
            keys[entry.name.value] = settings.table
        }
        warnOfEmptyTables()
        for limit in access.document.rateLimits where !limit.isUnknown { check(limit) }
        for entry in access.document.auth {
            for reference in entry.sent.flatMap(\.value.value.references) { check(reference, [entry]) }
        }
        for site in access.sites {
            guard let endpoint = site.endpoint else { continue }
            let entries = access.entries(of: site)
            guard !entries.isEmpty else { continue }
            let isOptional = site.settings.requirement?.isOptional == true
            for part in endpoint.first + endpoint.parts.list { check(part, entries, isOptional, known: []) }
            // A field of the answer without a value is left out.
        }
    }

    /// - Parameter known: the claims that conditions around the part have found.
    private func check(
        _ part: PlannedPart, _ entries: [ConfigAuth], _ isOptional: Bool, known: Set<[JSONPathStep]>
    ) {
        var known = known
        if let condition = part.condition, !condition.isNegated, condition.reference.source == .claims {
            known.insert(condition.reference.path.steps)
        }
        switch part.content {
        case .group(let group):
            for member in group.parts { check(member, entries, isOptional, known: known) }
        case .call, .value:
            for reference in part.contentReferences
            where reference.source == .claims && !known.contains(reference.path.steps) {
                if isOptional, known.isEmpty {
                    reader.problems.warning(
                        "\(reference.text): require.optional admits callers without claims; "
                            + "when: \"{claims.sub}\" skips the part for them", at: reference.place)
                } else {
                    check(reference, entries)
                }
            }
        }
    }

    private func check(_ reference: PlanReference, _ entries: [ConfigAuth]) {
        guard let name = reference.path.steps.first?.name else { return }
        for entry in entries {
            guard let lack = lack(of: [name], entry) else { continue }
            reader.problems.warning("\(reference.text): \(lack)", at: reference.place)
        }
    }

    /// Returns why a caller of an entry may lack a claim; nil if none does, or it is not known.
    ///
    /// - Parameter names: the names that the claim may have, the longest first.
    private func lack(of names: [String], _ entry: ConfigAuth) -> String? {
        let shown = AccessCheck.shown(entry)
        let name = Shown.text(names.first ?? "")
        switch entry.method {
        case .jwt(let tokens):
            // The issuer and the audience are compared, so they are there.
            guard !names.contains(where: { ["iss", "aud"].contains($0) || tokens.required.contains($0) }),
                !reader.unread.contains(entry.place(of: "jwt.required"))
            else { return nil }
            return "\(shown).jwt.required lacks \(name), so that a token may come without it"
        case .apiKeys:
            guard !names.contains("sub"), let table = keys[entry.name.value],
                table.keys.contains(where: { key in names.allSatisfy { key.claims[member: $0] == nil } })
            else { return nil }
            return "not all keys of \(shown) have the claim \(name)"
        case .clientCertificate:
            guard !names.contains(where: { ["sub", "dns", "uris", "sha256"].contains($0) }) else {
                return nil
            }
            return "callers of \(shown) have only the claims sub, dns, uris and sha256"
        // It may answer with any claims.
        case .authorize: return nil
        }
    }

    // MARK: Limits

    /// Callers without a claim share a count, or are not counted.
    private func check(_ limit: ConfigRateLimit) {
        let sites = access.sites.filter { $0.settings.limits.contains { $0.value == limit.name.value } }
        let used = Set(sites.flatMap(access.entries).map(\.name.value))
        let subject = "rateLimits.\(limit.name.value)"
        // An identity is the entry and the claim `sub`.
        let counted = limit.limit.key.map { $0 == .identity ? "claims.sub" : $0.description }
            .filter { $0.hasPrefix("claims.") }
        for entry in access.document.auth where used.contains(entry.name.value) {
            for key in counted {
                guard let lack = lack(of: Self.names(of: key.dropFirst(7)), entry) else { continue }
                // A variable may name the claim.
                reader.problems.warning(
                    reader.redacted("\(subject).key: \(lack); callers without the claim share one count"),
                    at: limit.keyPlace)
            }
            for name in limit.limit.when.keys.sorted() {
                guard let lack = lack(of: Self.names(of: name[...]), entry) else { continue }
                reader.problems.warning(
                    "\(subject).when: \(lack); the limit does not count callers without the claim",
                    at: limit.whenPlace)
            }
        }
    }

    /// Returns the claims that a name may mean: `org.id`, and `org` with the member `id`.
    private static func names(of name: Substring) -> [String] {
        let root = name.prefix { $0 != "." }
        return root == name || root.isEmpty ? [String(name)] : [String(name), String(root)]
    }

    private func warnOfEmptyTables() {
        for entry in access.document.auth where keys[entry.name.value]?.keys.isEmpty == true {
            reader.problems.warning(
                "\(AccessCheck.shown(entry)).apiKeys.file: the file has no keys, so every key is refused",
                at: entry.place(of: "apiKeys.file"))
        }
    }
}

extension PlannedPart {
    /// The references of its call or value, without its condition.
    fileprivate var contentReferences: [PlanReference] {
        switch content {
        case .call(let call): (call.items.map { [$0.source] } ?? []) + call.references
        case .value(let value): value.references
        case .group: []
        }
    }
}
