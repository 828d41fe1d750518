import JSONBytes

/// Checks that the references of a planned endpoint lead somewhere. The engine uses it. The reader of files
/// resolves references in the same `ReferenceScope` while it reads them, because it alone knows the names of
/// parts that it cannot decode.
package struct ReferenceCheck {
    private let scope: ReferenceScope
    private var faults: [PlanFault] = []

    /// Returns all faults of an endpoint.
    package static func faults(of endpoint: PlannedEndpoint) -> [PlanFault] {
        var check = ReferenceCheck(scope: ReferenceScope(of: endpoint))
        for (number, step) in endpoint.first.enumerated() {
            check.scope.site.step = number
            check.check(step, below: "")
        }
        check.scope.site.step = nil
        for part in endpoint.parts.list { check.check(part, below: "") }
        for field in endpoint.answer.fields { check.check(field.value.value.references, of: nil) }
        return check.faults
    }

    private init(scope: ReferenceScope) { self.scope = scope }

    private mutating func check(_ part: PlannedPart, below prefix: String) {
        let name = prefix + part.name
        if let condition = part.condition { check([condition.reference], of: name) }
        switch part.content {
        case .group(let group):
            for member in group.parts { check(member, below: name + ".") }
        case .value(let value): check(value.references, of: name)
        case .call(let call):
            if let items = call.items { check([items.source], of: name) }
            scope.site.hasItem = call.items != nil
            check(call.references, of: name)
            scope.site.hasItem = false
        }
    }

    private mutating func check(_ references: [PlanReference], of part: String?) {
        for reference in references {
            let (root, names) = reference.source.written
            let path = names.map { JSONPathStep.name(Array($0.utf8)) } + reference.path.steps
            do throws(ReferenceScope.Fault) {
                _ = try scope.resolve(root, path, text: reference.text, at: reference.place)
            } catch {
                faults.append(
                    PlanFault(
                        part: part, message: "\(reference.text): \(error.message())", place: reference.place))
            }
        }
    }
}

extension PlanReference.Source {
    /// The names with which a reference to it begins.
    fileprivate var written: (ReferenceRoot, [String]) {
        switch self {
        case .path(let name): (.path, [name])
        case .query(let name): (.query, [name])
        case .header(let name): (.header, [name])
        case .body: (.body, [])
        case .claims: (.claims, [])
        case .step(let names): (.first, names)
        case .part(let names): (.parts, names)
        case .item: (.item, [])
        }
    }
}
