import EndpointPlans
import JSONBytes
import JSONSchema

/// What a client is told of a body that breaks its schema.
enum BodyFaults {
    /// Longer names, which a client may choose, are cut.
    private static let longestName = 64

    static func fault(_ fault: SchemaFault, by schema: Schema) -> ParameterFault {
        let place = path(fault.steps + (fault.missing.map { [.member($0)] } ?? []))
        let name = ParameterName(.body, place)
        let error: GatewayError =
            fault.missing == nil
            ? .invalid(name.subject, mustBe: fault.rule) : .missing(name.subject, mustBe: given)
        return ParameterFault(
            name, rule: fault.missing == nil ? fault.rule : given, error,
            logged: ParameterName(.body, logged(fault, by: schema)),
            word: .init(pointer: fault.instance, keyword: fault.keyword))
    }

    private static let given = "given"

    /// `points[2].weight`.
    private static func path(_ steps: [SchemaFault.Step]) -> String {
        steps.reduce(into: "") { path, step in
            switch step {
            case .element(let index): path += "[\(index)]"
            case .member(let name):
                if !path.isEmpty { path += "." }
                let isLong = name.unicodeScalars.count > longestName
                path += isLong ? "\(String(name.unicodeScalars.prefix(longestName)))..." : name
            }
        }
    }

    /// The path for the log, which does not tell a name that the client chose, nor what is in that member.
    private static func logged(_ fault: SchemaFault, by schema: Schema) -> String {
        path(knownSteps(of: fault, by: schema))
    }

    /// The place of a fault as a JSON Pointer, without names that the schema does not have.
    static func knownPointer(of fault: SchemaFault, by schema: Schema) -> String {
        let names = knownSteps(of: fault, by: schema).map { step in
            switch step {
            case .element(let index): "\(index)"
            case .member(let name): name
            }
        }
        return JSONPointer(members: names).description
    }

    private static func knownSteps(of fault: SchemaFault, by schema: Schema) -> [SchemaFault.Step] {
        var outline: SchemaOutline? = schema.check.outline
        var known: [SchemaFault.Step] = []
        for step in fault.steps {
            switch step {
            case .element(let index): outline = outline?.element(index)
            case .member(let name):
                guard let names = outline?.names, names.contains(name) else {
                    return known + [.member("*")]
                }
                if case .found(let next)? = outline?.member(name) { outline = next } else { outline = nil }
            }
            known.append(step)
        }
        return known + (fault.missing.map { [.member($0)] } ?? [])
    }
}
