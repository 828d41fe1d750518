import EndpointPlans
import JSONBytes
import JSONSchema

/// Reports values of the body and of parameters whose kind, by their schema, their place cannot have:
/// requests with them would all fail.
struct BodyKindCheck {
    /// What a place can have.
    private enum Place {
        case path, query, field, text

        var allowed: String {
            switch self {
            case .path: "a path takes only text, numbers and Booleans"
            case .query: "query takes only text, numbers, Booleans and lists of them"
            case .field: "a header takes only text, numbers and Booleans"
            case .text: "a reference within text must be text, a number or a Boolean"
            }
        }
    }

    let endpoint: PlannedEndpoint
    let reader: ConfigReader

    func run() {
        for call in endpoint.first.flatMap(\.calls) { check(call) }
        for part in endpoint.parts.list { check(part) }
        for field in endpoint.answer.fields { check(field.value.value, in: .field, items: nil) }
    }

    private func check(_ part: PlannedPart) {
        switch part.content {
        case .call(let call): check(call)
        case .group(let group): for part in group.parts { check(part) }
        case .value(let value): check(value, items: nil)
        }
    }

    private func check(_ call: PlannedCall) {
        if let items = call.items { checkList(items) }
        let items = call.items?.source
        check(call.path.value, in: .path, items: items)
        for (_, value) in call.query {
            switch value {
            case .constant, .array, .object: break
            case .reference(let reference): check(reference, in: .query, items: items)
            case .text(let text): check(text, in: .text, items: items)
            }
        }
        for header in call.headers { check(header.value.value, in: .field, items: items) }
        if let body = call.body { check(body, items: items) }
    }

    private func check(_ value: PlannedValue, items: PlanReference?) {
        switch value {
        case .constant, .reference: break
        case .text(let template): check(template, in: .text, items: items)
        case .array(let values): for value in values { check(value, items: items) }
        case .object(let members): for member in members { check(member.value, items: items) }
        }
    }

    private func check(_ template: PlannedText, in place: Place, items: PlanReference?) {
        for reference in template.references { check(reference, in: place, items: items) }
    }

    private func check(_ reference: PlanReference, in place: Place, items: PlanReference?) {
        guard let outline = outline(of: reference, items), let kind = kind(of: outline, reference) else {
            return
        }
        let isWrong =
            switch (kind, place) {
            case ("object", _): true
            case ("array", .query): hasNestedElements(outline, reference)
            case ("array", _): true
            default: false
            }
        guard isWrong else { return }
        let shown = kind == "array" && place == .query ? "a list of lists or objects" : Self.shown(kind)
        reader.error(
            "\(reference.text) is \(shown), according to the schema of \(subject(reference)); \(place.allowed)",
            at: reference.place)
    }

    private func checkList(_ each: PlannedItems) {
        let source = each.source
        switch source.source {
        case .path, .query, .header:
            guard parameter(source)?.rule.type != .array else { return }
            reader.error(
                "forEach: \(source.text) is one value and not a list; lists come from body, claims, first, parts "
                    + "and parameters of type array", at: source.place)
        default: checkListInBody(each)
        }
    }

    private func checkListInBody(_ each: PlannedItems) {
        let source = each.source
        guard let outline = outline(of: source, nil), let kind = kind(of: outline, source) else { return }
        guard kind == "array" else {
            reader.error(
                "forEach: \(source.text) is \(Self.shown(kind)) by the schema of the body and not a list",
                at: source.place)
            return
        }
        let limit = each.limit ?? PlannedItems.standardLimit
        guard !source.path.isList, let most = outline.maxItems, most > limit,
            !isUnread(each.$limit?.place)
        else { return }
        reader.problems.warning(
            "the schema of the body allows more elements in \(source.text) than limit, which refuses them",
            at: each.$limit?.place ?? source.place)
    }

    private func subject(_ reference: PlanReference) -> String {
        switch reference.source {
        case .path, .query, .header: "the parameter"
        default: "the body"
        }
    }

    // MARK: - Schemas

    private func parameter(_ reference: PlanReference) -> ParameterRule? {
        guard case .query(let name) = reference.source else { return nil }
        return endpoint.parameters(in: .query).first { $0.name.value == name }
    }

    /// Returns what is known of a reference's value: with `[*]`, of an element. Nil for a value of which
    /// nothing is known.
    private func outline(of reference: PlanReference, _ items: PlanReference?) -> SchemaOutline? {
        switch reference.source {
        case .body:
            return endpoint.body.flatMap { SchemaMembers.outline(at: reference.path.steps, below: $0) }
        case .query: return parameter(reference)?.rule.schema?.outline
        case .item:
            guard let body = endpoint.body, let items, case .body = items.source else { return nil }
            // What `[*]` selects is the list already.
            let element: [JSONPathStep] = items.path.isList ? [] : [.index(0)]
            return SchemaMembers.outline(at: items.path.steps + element + reference.path.steps, below: body)
        case .path, .header, .claims, .step, .part: return nil
        }
    }

    /// Returns the type of a reference's value; nil if it is not known.
    private func kind(of outline: SchemaOutline, _ reference: PlanReference) -> String? {
        reference.path.isList ? "array" : outline.type
    }

    private func hasNestedElements(_ outline: SchemaOutline, _ reference: PlanReference) -> Bool {
        let element = reference.path.isList ? outline : outline.element(0)
        return element?.type == "object" || element?.type == "array"
    }

    private func isUnread(_ place: ConfigPlace?) -> Bool { place.map(reader.unread.contains) ?? false }

    private static func shown(_ type: String) -> String {
        ["object", "array", "integer"].contains(type) ? "an \(type)" : "a \(type)"
    }
}
