/// Reports values of the body whose kind, by the body's schema, their place cannot have: requests with them would all fail.
struct BodyKindCheck {
    /// What a place can have.
    private enum Place {
        case path, query, field, text

        var allowed: String {
            switch self {
            case .path: "a path takes only text, numbers and Booleans"
            case .query: "query takes only text, numbers, Booleans and lists of them"
            case .field: "a header takes only text, numbers and Booleans"
            case .text: "text around a reference takes only text, numbers and Booleans"
            }
        }
    }

    let endpoint: ConfigEndpoint
    let reader: ConfigReader

    func run() {
        guard endpoint.body != nil else { return }
        for call in endpoint.steps.flatMap(\.calls) { check(call, items: nil) }
        for part in endpoint.content.parts { check(part) }
        for header in endpoint.answer.headers { check(header.value.value, in: .field, items: nil) }
    }

    private func check(_ part: ConfigPart) {
        switch part.kind {
        case .call(let call): check(call, items: nil)
        case .forEach(let each):
            checkList(each)
            check(each.call, items: each.items)
        case .group(let group): for part in group.parts { check(part) }
        case .value(let value): check(value, items: nil)
        }
    }

    private func check(_ call: ConfigCall, items: ConfigReference?) {
        check(call.request.path.value, in: .path, items: items)
        for template in call.request.query.flatMap(\.values) {
            check(template.value, in: template.value.wholeReference == nil ? .text : .query, items: items)
        }
        for header in call.request.headers { check(header.value.value, in: .field, items: items) }
        if let body = call.request.body { check(body.value, items: items) }
    }

    private func check(_ value: ConfigValue, items: ConfigReference?) {
        switch value {
        case .constant, .reference: break
        case .text(let template): check(template, in: .text, items: items)
        case .list(let values): for value in values { check(value, items: items) }
        case .object(let members): for member in members { check(member.value, items: items) }
        }
    }

    private func check(_ template: ConfigTemplate, in place: Place, items: ConfigReference?) {
        for reference in template.references {
            guard let schema = schema(of: reference, items), let kind = kind(of: schema, reference) else {
                continue
            }
            let isWrong =
                switch (kind, place) {
                case (.object, _): true
                case (.array, .query): hasNestedElements(schema, reference)
                case (.array, _): true
                default: false
                }
            guard isWrong else { continue }
            let shown = kind == .array && place == .query ? "a list of lists or objects" : Self.shown(kind)
            reader.error(
                "\(reference.text) is \(shown) by the schema of the body; \(place.allowed)",
                at: reference.place)
        }
    }

    private func checkList(_ each: ConfigForEach) {
        guard let schema = schema(of: each.items, nil), let kind = kind(of: schema, each.items) else {
            return
        }
        guard kind == .array else {
            reader.error(
                "forEach: \(each.items.text) is \(Self.shown(kind)) by the schema of the body and not a list",
                at: each.items.place)
            return
        }
        let limit = each.limit?.value ?? ConfigForEach.defaultLimit
        guard !each.items.path.contains(.all), let most = schema.maxItems, most.value > limit,
            !isUnread(most.place), !isUnread(each.limit?.place)
        else { return }
        reader.problems.warning(
            "the schema of the body allows more elements in \(each.items.text) than limit, which refuses them",
            at: each.limit?.place ?? each.items.place)
    }

    // MARK: - Schemas

    /// Returns the schema of what a reference leads to, for one with `[*]` that of an element. Nil for a value that is not the body's.
    private func schema(of reference: ConfigReference, _ items: ConfigReference?) -> ConfigSchema? {
        guard let body = endpoint.body?.value else { return nil }
        switch reference.source {
        case .body: return reader.schemaMembers.schema(at: reference.path, below: body)
        case .item:
            guard let items, case .body = items.source else { return nil }
            // What `[*]` selects is the list already.
            let element: [ConfigReference.Segment] = items.path.contains(.all) ? [] : [.element(0)]
            return reader.schemaMembers.schema(at: items.path + element + reference.path, below: body)
        case .path, .query, .header, .step, .part: return nil
        }
    }

    /// Returns the type of a reference's value; nil if it is not known.
    private func kind(of schema: ConfigSchema, _ reference: ConfigReference) -> ConfigType? {
        reference.path.contains(.all) ? .array : type(of: schema)
    }

    private func type(of schema: ConfigSchema) -> ConfigType? {
        guard let type = schema.type else { return schema.impliedType }
        return isUnread(type.place) ? nil : type.value
    }

    private func hasNestedElements(_ schema: ConfigSchema, _ reference: ConfigReference) -> Bool {
        let element =
            reference.path.contains(.all)
            ? schema : reader.schemaMembers.schema(at: [.element(0)], below: schema)
        let type = element.flatMap(type(of:))
        return type == .object || type == .array
    }

    private func isUnread(_ place: ConfigPlace?) -> Bool { place.map(reader.unread.contains) ?? false }

    private static func shown(_ type: ConfigType) -> String {
        switch type {
        case .object, .array: "an \(type.rawValue)"
        case .integer: "an integer"
        case .string, .number, .boolean, .date, .dateTime, .uuid: "a \(type.rawValue)"
        }
    }
}
