import EndpointPlans
import JSONBytes

/// Reports values of the body whose kind, by the body's schema, their place cannot have: requests with them
/// would all fail.
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
        guard endpoint.body != nil else { return }
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
        guard let schema = schema(of: reference, items), let kind = kind(of: schema, reference) else {
            return
        }
        let isWrong =
            switch (kind, place) {
            case (.object, _): true
            case (.array, .query): hasNestedElements(schema, reference)
            case (.array, _): true
            default: false
            }
        guard isWrong else { return }
        let shown = kind == .array && place == .query ? "a list of lists or objects" : Self.shown(kind)
        reader.error(
            "\(reference.text) is \(shown), according to the schema of the body; \(place.allowed)",
            at: reference.place)
    }

    private func checkList(_ each: PlannedItems) {
        let source = each.source
        guard let schema = schema(of: source, nil), let kind = kind(of: schema, source) else {
            return
        }
        guard kind == .array else {
            reader.error(
                "forEach: \(source.text) is \(Self.shown(kind)) by the schema of the body and not a list",
                at: source.place)
            return
        }
        let limit = each.limit ?? PlannedItems.standardLimit
        guard !source.path.isList, let most = schema.maxItems, most.value > limit,
            !isUnread(most.place), !isUnread(each.$limit?.place)
        else { return }
        reader.problems.warning(
            "the schema of the body allows more elements in \(source.text) than limit, which refuses them",
            at: each.$limit?.place ?? source.place)
    }

    // MARK: - Schemas

    /// Returns the schema of what a reference leads to: with `[*]`, the schema of an element. Nil for a value
    /// that is not the body's.
    private func schema(of reference: PlanReference, _ items: PlanReference?) -> Schema? {
        guard let body = endpoint.body else { return nil }
        switch reference.source {
        case .body: return reader.schemaMembers.schema(at: reference.path.steps, below: body)
        case .item:
            guard let items, case .body = items.source else { return nil }
            // What `[*]` selects is the list already.
            let element: [JSONPathStep] = items.path.isList ? [] : [.index(0)]
            return reader.schemaMembers.schema(
                at: items.path.steps + element + reference.path.steps, below: body)
        case .path, .query, .header, .claims, .step, .part: return nil
        }
    }

    /// Returns the type of a reference's value; nil if it is not known.
    private func kind(of schema: Schema, _ reference: PlanReference) -> DataType? {
        reference.path.isList ? .array : type(of: schema)
    }

    private func type(of schema: Schema) -> DataType? {
        guard let type = schema.type else { return schema.impliedType }
        return isUnread(type.place) ? nil : type.value
    }

    private func hasNestedElements(_ schema: Schema, _ reference: PlanReference) -> Bool {
        let element =
            reference.path.isList
            ? schema : reader.schemaMembers.schema(at: [.index(0)], below: schema)
        let type = element.flatMap(type(of:))
        return type == .object || type == .array
    }

    private func isUnread(_ place: ConfigPlace?) -> Bool { place.map(reader.unread.contains) ?? false }

    private static func shown(_ type: DataType) -> String {
        switch type {
        case .object, .array: "an \(type.rawValue)"
        case .integer: "an integer"
        case .string, .number, .boolean, .date, .dateTime, .uuid: "a \(type.rawValue)"
        }
    }
}
