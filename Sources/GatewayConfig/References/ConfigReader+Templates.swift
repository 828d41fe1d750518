import EndpointPlans
import JSONBytes

extension ConfigReader {
    /// Returns a text with its references; nil after a problem.
    func template(_ scalar: YAMLScalar, at place: ConfigPlace) -> PlannedText? {
        TemplateParser.parse(scalar, at: place, problems, rootOf: { scope?.root(of: $0) }) {
            root, path, text in
            reference(root, path, text: text, at: place)
        }
    }

    private func reference(
        _ root: ReferenceRoot, _ path: [JSONPathStep], text: String, at place: ConfigPlace
    ) -> PlanReference? {
        guard let scope else {
            error("\(text): references stand only in values of parts and in answer.headers", at: place)
            return nil
        }
        do throws(ReferenceScope.Fault) {
            return try scope.resolve(root, path, text: text, at: place)
        } catch {
            self.error("\(text): \(error.message())", at: place)
            return nil
        }
    }
}

extension ValueType where Value == PlannedText {
    /// Text with references. Numbers and Booleans are taken as they are written.
    static let template = ValueType { _ in
        .anyText
    } read: { node, subject, reader in
        reader.scalar(node, subject).flatMap { reader.template($0, at: node.place) }
    }
}

extension ValueType where Value == PlanReference {
    /// Text that is one reference.
    static let reference = ValueType(schema: { _ in .type("string", [("pattern", .text("^\\{.+\\}$"))]) }) {
        node, subject, reader in
        guard let scalar = reader.scalar(node, subject),
            let template = reader.template(scalar, at: node.place)
        else { return nil }
        if template.wholeReference == nil, !scalar.isUnknown {
            reader.error(
                "\(subject.text): \(scalar.shown) is not one reference such as \"{parts.user.id}\"",
                at: node.place)
        }
        return template.wholeReference
    }
}

extension ValueType where Value == PlannedCondition {
    static let condition = ValueType(schema: { _ in .type("string", [("pattern", .text("^!?\\{.+\\}$"))]) }) {
        node, subject, reader in
        guard let scalar = reader.scalar(node, subject),
            let template = reader.template(scalar, at: node.place)
        else { return nil }
        if let reference = template.wholeReference {
            return PlannedCondition(reference)
        }
        if template.pieces.count == 2, case .text("!") = template.pieces[0],
            case .reference(let reference) = template.pieces[1]
        {
            return PlannedCondition(reference, isNegated: true)
        }
        if !scalar.isUnknown {
            reader.error(
                "\(subject.text): \(scalar.shown) is not one reference such as \"{query.x}\" or \"!{query.x}\"",
                at: node.place)
        }
        return nil
    }
}
