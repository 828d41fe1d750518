extension ConfigPart {
    /// The references that the part itself has, without those of a group's members.
    var references: [ConfigReference] {
        let own: [ConfigReference] =
            switch kind {
            case .call(let call): call.references
            case .forEach(let each): [each.items] + each.call.references
            case .group: []
            case .value(let value): value.references
            }
        return own + (when.map { [$0.reference] } ?? [])
    }
}

extension ConfigCall {
    var references: [ConfigReference] {
        request.path.value.references
            + request.query.flatMap { $0.values.flatMap(\.value.references) }
            + request.headers.flatMap(\.value.value.references) + (request.body?.value.references ?? [])
    }
}

extension ConfigTemplate {
    var references: [ConfigReference] {
        pieces.compactMap { piece in
            switch piece {
            case .text: nil
            case .reference(let reference): reference
            }
        }
    }
}

extension ConfigValue {
    var references: [ConfigReference] {
        switch self {
        case .constant: []
        case .reference(let reference): [reference]
        case .text(let template): template.references
        case .list(let values): values.flatMap(\.references)
        case .object(let members): members.flatMap(\.value.references)
        }
    }
}
