import ASCIIText
import JSONSchema

// Reads an operation: its parameters, body and responses.

extension OpenAPIReader {
    mutating func model(of operation: OpenAPIOperation) -> OperationModel {
        let responses = operation.value.member("responses")
        var model = OperationModel(
            operation: operation, responsesDocument: operation.value.document,
            responsesPlace: (responses ?? operation.value).place)
        model.parameters = parameters(of: operation)
        if let body = operation.value.member("requestBody"), let found = resolved(body, "a request body") {
            model.body = BodyModel(
                isRequired: found.member("required")?.bool ?? false, content: content(of: found))
        }
        for (name, value) in responses?.ownMembers ?? [] {
            guard let key = ResponseKey(name) else {
                complain("\(Shown.text(name)) is not a status, a range such as 2XX, or default", at: value)
                continue
            }
            guard let response = resolved(value, "a response") else { continue }
            model.responses.append(
                ResponseModel(key: key, fields: fields(of: response), content: content(of: response)))
        }
        return model
    }

    // MARK: - Parameters

    private mutating func parameters(of operation: OpenAPIOperation) -> [ParameterModel] {
        var parameters: [ParameterModel] = []
        // An operation's parameter replaces its path's.
        var known: Set<String> = []
        for owner in [operation.value, operation.pathItem] {
            for value in owner.member("parameters")?.elements ?? [] {
                guard let found = resolved(value, "a parameter"), let parameter = parameter(found),
                    known.insert(parameter.key).inserted
                else { continue }
                parameters.append(parameter)
            }
        }
        let inPath = Set(operation.path.parameters)
        for parameter in parameters where parameter.location == .path && !inPath.contains(parameter.name) {
            let shown = Shown.text(parameter.name)
            let near = Suggestion.text(for: parameter.name, among: inPath.sorted())
            complain(
                "\(operation.path.text) has no parameter \"\(shown)\"\(near)", at: operation.value,
                isWarning: true)
        }
        return parameters.filter { $0.location != .path || inPath.contains($0.name) }
    }

    private mutating func parameter(_ value: OpenAPIValue) -> ParameterModel? {
        guard let name = value.member("name")?.string, let place = value.member("in") else {
            complain("a parameter must have a name and a place: in", at: value)
            return nil
        }
        guard let location = ParameterPlace(rawValue: place.string ?? "") else {
            if place.string == "cookie" {
                complain("cookies are not checked", at: place, isWarning: true)
            } else {
                complain("in: a parameter is in path, query, header or cookie", at: place)
            }
            return nil
        }
        // OpenAPI 3.0.3 and 3.1.0, Parameter Object: these are described elsewhere.
        let ignored = ["accept", "content-type", "authorization"]
        guard location != .field || !ignored.contains(name.lowercased()) else { return nil }
        return parameter(
            value, name, location, isRequired: location == .path || (value.member("required")?.bool ?? false))
    }

    private mutating func parameter(
        _ value: OpenAPIValue, _ name: String, _ location: ParameterPlace, isRequired: Bool
    ) -> ParameterModel {
        var schema = value.member("schema")
        var style = style(of: value, location)
        if let (_, media) = value.member("content")?.members.first {
            schema = resolved(media, "a media type")?.member("schema")
            style = .json
        }
        return ParameterModel(
            name: name, location: location, isRequired: isRequired,
            allowsEmpty: location == .query && (value.member("allowEmptyValue")?.bool ?? false), style: style,
            schema: schema?.root, document: value.document, place: value.place)
    }

    private mutating func style(of value: OpenAPIValue, _ location: ParameterPlace) -> ParameterStyle? {
        let standard = location == .query ? "form" : "simple"
        let named = value.member("style")
        let name = named?.string ?? standard
        guard name == standard else {
            complain(
                "style: \(Shown.text(name)) is not known in \(location.rawValue), so the value is not checked",
                at: named ?? value, isWarning: true)
            return nil
        }
        let explode = value.member("explode")?.bool
        return location == .query ? .form(explode: explode ?? true) : .simple(explode: explode ?? false)
    }

    private mutating func fields(of response: OpenAPIValue) -> [ParameterModel] {
        var fields: [ParameterModel] = []
        for (name, value) in response.member("headers")?.members ?? [] {
            guard name.lowercased() != "content-type", let header = resolved(value, "a header") else {
                continue
            }
            fields.append(
                parameter(header, name, .field, isRequired: header.member("required")?.bool ?? false))
        }
        return fields
    }

    // MARK: - Bodies

    private mutating func content(of value: OpenAPIValue) -> ContentModel {
        var model = ContentModel(document: value.document, place: value.place)
        for (text, media) in value.member("content")?.members ?? [] {
            guard let media = resolved(media, "a media type") else { continue }
            model.types.append((text, media.member("schema")?.root))
        }
        return model
    }
}
