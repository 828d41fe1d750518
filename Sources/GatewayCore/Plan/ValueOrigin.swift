import EndpointPlans
import JSONBytes

/// Who is to blame for a value that its place cannot have. A value composed from several has the greatest of
/// their origins.
enum ValueOrigin: Int, Comparable, Sendable {
    /// The configuration alone.
    case constant
    /// At least partly a claim of the caller.
    case caller
    /// At least partly the client's. Who sends a request can change it, which nobody can with a claim.
    case client
    /// At least partly an upstream's response.
    case upstream

    static func < (left: ValueOrigin, right: ValueOrigin) -> Bool { left.rawValue < right.rawValue }
}

/// Read only after a value was refused.
extension PlanScope {
    func origin(of reference: BoundReference) -> ValueOrigin {
        origin(of: reference, reference.path.steps[...])
    }

    private func origin(of reference: BoundReference, _ path: ArraySlice<ValuePath.Step>) -> ValueOrigin {
        switch reference.source {
        case .parameter, .body: .client
        case .claims: .caller
        case .item: items.map { origin(of: $0) } ?? .upstream
        case .leaf(let number): origin(ofLeaf: number, path)
        case .group(let number): origin(ofGroup: number)
        }
    }

    func origin(of references: [BoundReference]) -> ValueOrigin {
        references.map { origin(of: $0) }.max() ?? .constant
    }

    private func origin(ofGroup number: Int) -> ValueOrigin {
        guard let run else { return .upstream }
        return run.plan.groups[number].leaves.map { origin(ofLeaf: $0, []) }.max() ?? .upstream
    }

    private func origin(ofLeaf number: Int, _ path: ArraySlice<ValuePath.Step>) -> ValueOrigin {
        guard let run else { return .upstream }
        return switch run.plan.leaves[number].value.work {
        case .call: .upstream
        case .value(let template): origin(of: template, path)
        }
    }

    /// Follows the path as far as the template is written out.
    private func origin(
        of template: ValueTemplate<BoundReference>, _ path: ArraySlice<ValuePath.Step>
    ) -> ValueOrigin {
        switch (template, path.first) {
        case (.constant, _): return .constant
        case (.reference(let reference), _):
            return origin(of: reference, (reference.path.steps + path)[...])
        case (.object(let members), .name(let name)?):
            // Of members with the same name, the last one is read or none is.
            let value = members.last { Array($0.name.utf8) == name }?.value
            return value.map { origin(of: $0, path.dropFirst()) } ?? .constant
        case (.array(let elements), .index(let index)?):
            return elements.indices.contains(index)
                ? origin(of: elements[index], path.dropFirst()) : .constant
        case (.array(let elements), .all?):
            return elements.map { origin(of: $0, path.dropFirst()) }.max() ?? .constant
        case (.object(let members), .all?):
            return members.map { origin(of: $0.value, path.dropFirst()) }.max() ?? .constant
        case (.text, _), (.object, _), (.array, _): return origin(of: template.references)
        }
    }

    /// Whether the client may leave the value out. A value that a part lacks is a failure.
    func mayBeAbsent(_ reference: BoundReference) -> Bool {
        switch reference.source {
        case .parameter, .body, .claims: true
        case .item: [.client, .caller].contains(origin(of: reference))
        case .leaf, .group: false
        }
    }
}
