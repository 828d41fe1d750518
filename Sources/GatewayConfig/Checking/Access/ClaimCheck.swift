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
            guard case .apiKeys(let settings) = entry.method, let contents = settings.contents else {
                continue
            }
            keys[entry.name.value] = try? APIKeyTable(parsing: contents[...])
        }
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
            let shown = AccessCheck.shown(entry)
            switch entry.method {
            case .jwt(let tokens):
                // These two are compared, so they are there.
                guard !["iss", "aud"].contains(name), !tokens.required.contains(name),
                    !reader.unread.contains(entry.place(of: "jwt.required"))
                else { continue }
                reader.problems.warning(
                    "\(reference.text): \(shown).jwt.required lacks \(Shown.text(name)), so that a token may come "
                        + "without it", at: reference.place)
            case .apiKeys:
                guard name != "sub", let table = keys[entry.name.value],
                    table.keys.contains(where: { $0.claims[member: name] == nil })
                else { continue }
                reader.problems.warning(
                    "\(reference.text): not all keys of \(shown) have the claim \(Shown.text(name))",
                    at: reference.place)
            // It may answer with any claims.
            case .authorize: continue
            }
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
