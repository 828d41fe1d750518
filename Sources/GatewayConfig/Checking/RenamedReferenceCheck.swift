import ASCIIText
import EndpointPlans
import JSONBytes

/// Warns of references to names that only the answer has: references read a part before its `rename`.
struct RenamedReferenceCheck {
    let endpoint: PlannedEndpoint
    let problems: ProblemList

    func run() {
        guard Self.haveRename(endpoint.parts.list) else { return }
        var rest = endpoint.parts.list
        while let part = rest.popLast() {
            for reference in part.references { check(reference) }
            if case .group(let group) = part.content { rest += group.parts }
        }
        for field in endpoint.answer.fields { field.value.value.references.forEach(check) }
    }

    private static func haveRename(_ parts: [PlannedPart]) -> Bool {
        parts.contains { part in
            if case .group(let group) = part.content, haveRename(group.parts) { return true }
            return !part.shape.renamed.isEmpty
        }
    }

    private func check(_ reference: PlanReference) {
        guard case .part(let names) = reference.source, let part = part(names[...], endpoint.parts.list)
        else { return }
        // A rename goes through arrays.
        let members = reference.path.steps.compactMap { step -> [UInt8]? in
            if case .name(let name) = step { name } else { nil }
        }
        for rename in part.shape.renamed {
            let parents = rename.path.value.names.dropLast()
            guard members.count > parents.count, members.prefix(parents.count).elementsEqual(parents),
                members[parents.count].elementsEqual(rename.name.value.utf8),
                // Two members may change their names.
                !part.shape.renamed.contains(where: {
                    $0.path.value.names.elementsEqual(members.prefix(parents.count + 1))
                })
            else { continue }
            problems.warning(
                "\(Shown.text(reference.text)): references read a part before its rename, when "
                    + "\"\(Shown.text(rename.name.value))\" is \"\(Shown.text(rename.path.value.description))\"",
                at: reference.place)
        }
    }

    private func part(_ names: ArraySlice<String>, _ parts: [PlannedPart]) -> PlannedPart? {
        guard let first = names.first, let part = parts.first(where: { $0.name == first }) else {
            return nil
        }
        guard names.count > 1 else { return part }
        guard case .group(let group) = part.content else { return nil }
        return self.part(names.dropFirst(), group.parts)
    }
}
