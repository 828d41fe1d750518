import ASCIIText
import HTTPModel
package import JSONBytes
import JSONSchema

// What the calls of a file ask of a contract before any request. Answers are messages for the file's author.

extension OperationContract {
    private var name: String { operation.name }

    private func parameters(_ place: ParameterPlace) -> [ContractParameter] {
        request.parameters.filter { $0.location == place }
    }

    /// Says that the operation does not have a parameter, and which one was likely meant; nil if it does, or
    /// if it takes others.
    package func unknown(_ parameter: String, in place: ParameterPlace) -> String? {
        let known = parameters(place)
        let isKnown = known.contains {
            place == .field ? $0.name.lowercased() == parameter.lowercased() : $0.name == parameter
        }
        guard !isKnown else { return nil }
        var names = known.map(\.name)
        if place == .query {
            for object in known {
                // The members of an exploded object are parameters. Other styles have names of their own.
                guard let style = object.style, let shape = object.shape else { return nil }
                guard style == .form(explode: true), shape.isObject else { continue }
                if shape.isOpen || shape.members[parameter] != nil { return nil }
                names += shape.members.keys
            }
        }
        let near = Suggestion.text(for: parameter, among: names.sorted())
        return "\(name) has no \(place.rawValue) parameter \"\(Shown.text(parameter))\"\(near)"
    }

    /// Says which parameters a call lacks that the operation requires.
    package func missing(query: Set<String>, fields: Set<String>, hasBody: Bool) -> [String] {
        let lowercased = Set(fields.map { $0.lowercased() })
        var messages: [String] = []
        for parameter in request.parameters where parameter.isRequired {
            let isThere =
                switch parameter.location {
                case .path: true
                case .query: isThere(parameter, query)
                case .field: lowercased.contains(parameter.name.lowercased())
                }
            guard !isThere else { continue }
            messages.append(
                "\(name) requires the \(parameter.location.rawValue) parameter \"\(Shown.text(parameter.name))\""
            )
        }
        if request.requiresBody, !hasBody { messages.append("\(name) requires a body") }
        return messages
    }

    private func isThere(_ parameter: ContractParameter, _ names: Set<String>) -> Bool {
        guard parameter.style == .form(explode: true), let shape = parameter.shape, shape.isObject else {
            return parameter.style == nil || names.contains(parameter.name)
        }
        return names.contains { shape.members[$0] != nil || shape.isOpen }
    }

    /// Returns what is wrong with constants that a call sends for a parameter; nothing for unknown
    /// parameters.
    ///
    /// - Parameter texts: the values, not escaped; several for a name that a query repeats.
    package func faults(ofConstants texts: [String], for parameter: String, in place: ParameterPlace)
        -> [ContractFault]
    {
        var faults: [ContractFault] = []
        for known in parameters(place) {
            let isMeant =
                place == .field ? known.name.lowercased() == parameter.lowercased() : known.name == parameter
            guard isMeant else { continue }
            known.check(known.reading(ofConstants: texts), .request, &faults)
        }
        return faults
    }

    // MARK: - Responses

    /// Says that no successful response has a value at a path, or no value of these kinds; nil if one may.
    package func unsatisfied(_ pointer: JSONPointer, kinds: Set<JSONFragment.Kind>? = nil) -> String? {
        unsatisfied(pointer.description, kinds) { $0.answer(at: pointer) }
    }

    /// The same for a path that goes through arrays without mention.
    package func unsatisfied(_ path: JSONMemberPath, kinds: Set<JSONFragment.Kind>? = nil) -> String? {
        unsatisfied(path.description, kinds) { $0.answer(at: path) }
    }

    /// The same for the steps of a reference, which `shown` shows.
    package func unsatisfied(
        _ path: [JSONPathStep], shown: String, kinds: Set<JSONFragment.Kind>? = nil
    ) -> String? {
        unsatisfied(shown, kinds) { $0.answer(at: path) }
    }

    private func unsatisfied(
        _ path: String, _ kinds: Set<JSONFragment.Kind>?, _ ask: (SchemaPaths) -> SchemaPaths.Answer
    ) -> String? {
        // A response without content is not described, or never has a body.
        let contents = response.successes.filter { !$0.entries.isEmpty }
        var best: (step: Int, names: [String]) = (-1, [])
        var isOfOtherKind = false
        for content in contents {
            guard let schemas = content.jsonSchemas else { return nil }
            for schema in schemas {
                switch ask(SchemaPaths(schema)) {
                case .described(let found):
                    guard let kinds, kinds.isDisjoint(with: found) else { return nil }
                    isOfOtherKind = true
                case .nothing(let step, let names):
                    if step > best.step { best = (step, names) }
                }
            }
        }
        if contents.isEmpty { return nil }
        let shown = path.isEmpty ? "a body" : Shown.text(path)
        if isOfOtherKind, let kinds {
            let phrases = kinds.map(\.phrase).sorted()
            return "no response of \(name) has \(Words.list(phrases)) at \(path.isEmpty ? "its root" : shown)"
        }
        return "no response of \(name) has \(shown)" + suggestion(path, best.names)
    }

    private func suggestion(_ path: String, _ names: [String]) -> String {
        // The name that is not known is one of the path's: the last that is near another.
        let parts = path.split { $0 == "/" || $0 == "." }.map(String.init)
        for part in parts.reversed() where !names.contains(part) {
            let text = Suggestion.text(for: part, among: names)
            if !text.isEmpty { return text }
        }
        return ""
    }
}

extension JSONFragment.Kind {
    var phrase: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension ContractParameter {
    /// Reads values that are not escaped.
    func reading(ofConstants texts: [String]) -> ParameterReading {
        switch location {
        case .path: return texts.first.map { reading(ofSegment: Array(encoded($0).utf8)[...]) } ?? .missing
        case .query:
            let query = texts.map { "\(PercentEncoding.encode(name))=\(encoded($0))" }.joined(separator: "&")
            return reading(in: QueryPieces(Array(query.utf8)[...])) { _ in false }
        case .field:
            guard let field else { return .missing }
            var fields = HTTPFields()
            for text in texts { fields.append(field, text) }
            return reading(in: fields)
        }
    }

    /// Escapes a value, but not its commas.
    private func encoded(_ text: String) -> String {
        text.utf8.split(separator: Byte.comma, omittingEmptySubsequences: false).map {
            PercentEncoding.encode(String(Substring($0)))
        }.joined(separator: ",")
    }
}
