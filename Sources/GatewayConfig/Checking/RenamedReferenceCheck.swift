import JSONBytes

/// Warns of references to names that only the answer has: references read a part before its `rename`.
struct RenamedReferenceCheck {
    let endpoint: ConfigEndpoint
    let problems: ProblemList

    func run() {
        guard Self.haveRename(endpoint.content.parts) else { return }
        var rest = endpoint.content.parts
        while let part = rest.popLast() {
            for reference in part.references { check(reference) }
            if case .group(let group) = part.kind { rest += group.parts }
        }
        for header in endpoint.answer.headers { header.value.value.references.forEach(check) }
    }

    private static func haveRename(_ parts: [ConfigPart]) -> Bool {
        parts.contains { part in
            if case .group(let group) = part.kind, haveRename(group.parts) { return true }
            return !part.rename.isEmpty
        }
    }

    private func check(_ reference: ConfigReference) {
        guard case .part(let names) = reference.source, let part = part(names[...], endpoint.content.parts)
        else { return }
        // A rename goes through arrays.
        let members = reference.path.compactMap { segment -> [UInt8]? in
            if case .member(let name) = segment { Array(name.utf8) } else { nil }
        }
        for rename in part.rename {
            let parents = rename.path.value.names.dropLast()
            guard members.count > parents.count, members.prefix(parents.count).elementsEqual(parents),
                members[parents.count].elementsEqual(rename.name.value.utf8),
                // Two members may change their names.
                !part.rename.contains(where: {
                    $0.path.value.names.elementsEqual(members.prefix(parents.count + 1))
                })
            else { continue }
            problems.warning(
                "\(Shown.text(reference.text)): references read a part before its rename, when "
                    + "\"\(Shown.text(rename.name.value))\" is \"\(Shown.text(rename.path.value.description))\"",
                at: reference.place)
        }
    }

    private func part(_ names: ArraySlice<String>, _ parts: [ConfigPart]) -> ConfigPart? {
        guard let first = names.first, let part = parts.first(where: { $0.name.value == first }) else {
            return nil
        }
        guard names.count > 1 else { return part }
        guard case .group(let group) = part.kind else { return nil }
        return self.part(names.dropFirst(), group.parts)
    }
}
