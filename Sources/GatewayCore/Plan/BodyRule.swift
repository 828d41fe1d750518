import EndpointPlans
import JSONBytes

/// What a JSON body, or a value in it, must be: the subset of JSON Schema that endpoints declare.
struct BodyRule: Sendable {
    enum Content: Sendable {
        /// Any value.
        case any
        case scalar(ValueRule)
        case object(ObjectRule)
        case array(ArrayRule)
        /// A rule by name, which may refer to itself.
        case named(String)
    }

    struct ObjectRule: Sendable {
        var properties: [(name: String, rule: BodyRule)]
        var required: [String]
        /// Whether there may be members that `properties` does not list.
        var allowsOthers: Bool
        /// None, or the rule of each such member: an array is what makes the rule recursive.
        var others: [BodyRule]

        init(
            properties: [(name: String, rule: BodyRule)] = [], required: [String] = [],
            allowsOthers: Bool = true, others: BodyRule? = nil
        ) {
            self.others = others.map { [$0] } ?? []
            self.properties = properties
            self.required = required
            self.allowsOthers = allowsOthers
        }
    }

    struct ArrayRule: Sendable {
        /// None, or the rule of each element: an array is what makes the rule recursive.
        var items: [BodyRule]
        var minItems: Int?
        var maxItems: Int?
        /// Whether no message shows how many elements there may be.
        var hidesCounts = false

        init(items: BodyRule? = nil, minItems: Int? = nil, maxItems: Int? = nil) {
            self.items = items.map { [$0] } ?? []
            self.minItems = minItems
            self.maxItems = maxItems
        }
    }

    var content: Content
    /// The only values allowed, whatever their kind.
    var allowed: AllowedValues?

    /// - Parameters:
    ///   - content: what the value must be.
    ///   - values: the only values allowed; nil for any.
    ///   - hidesValues: whether no message shows them.
    init(_ content: Content, values: [JSONFragment]? = nil, hidesValues: Bool = false) {
        self.content = content
        allowed = values.map { AllowedValues($0, isHidden: hidesValues) }
    }
}

extension BodyRule {
    init(_ schema: Schema) {
        guard schema.reference == nil else {
            self.init(.named(schema.reference?.value ?? ""))
            return
        }
        self.init(
            Content(schema), values: schema.rule.enumeration.map { $0.map(\.value) },
            hidesValues: schema.rule.hidden.contains(.values))
    }
}

extension BodyRule.Content {
    fileprivate init(_ schema: Schema) {
        switch schema.type?.value ?? schema.impliedType {
        case nil: self = .any
        case .object?:
            var rule = BodyRule.ObjectRule(
                properties: schema.properties.map { ($0.name.value, BodyRule($0.schema)) },
                required: schema.required.map(\.value))
            switch schema.additionalProperties {
            case .allowed: break
            case .refused: rule.allowsOthers = false
            case .schema(let inner): rule.others = [BodyRule(inner)]
            }
            self = .object(rule)
        case .array?:
            var rule = BodyRule.ArrayRule(minItems: schema.minItems?.value, maxItems: schema.maxItems?.value)
            if case .schema(let inner) = schema.items { rule.items = [BodyRule(inner)] }
            rule.hidesCounts = schema.hidesCounts
            self = .array(rule)
        case .string, .integer, .number, .boolean, .date, .dateTime, .uuid:
            var rule = schema.rule
            // The enclosing rule compares them as JSON.
            rule.enumeration = nil
            self = .scalar(rule)
        }
    }
}

/// The rule of an endpoint's body, with the rules that it refers to by name.
struct BodySchema: Sendable {
    var root: BodyRule
    var named: [String: BodyRule]

    init(_ schema: Schema, named: [NamedSchema]) {
        self.init(
            BodyRule(schema),
            named: Dictionary(named.map { ($0.name.value, BodyRule($0.schema)) }) { first, _ in first })
    }

    init(_ root: BodyRule, named: [String: BodyRule] = [:]) {
        self.root = root
        self.named = named
    }

    /// The names that no rule has, and those that lead only to themselves.
    var faults: [String] {
        var faults: [String] = []
        func visit(_ rule: BodyRule) {
            switch rule.content {
            case .any, .scalar: break
            case .object(let object):
                for rule in object.properties.map(\.rule) + object.others { visit(rule) }
            case .array(let array): for item in array.items { visit(item) }
            case .named(let name):
                switch resolve(name) {
                case .rule: break
                case .unknown(let name): faults.append("there is no schema \"\(name)\"")
                case .circle: faults.append("the schema \"\(name)\" leads only to itself")
                }
            }
        }
        visit(root)
        for (_, rule) in named.sorted(by: { $0.key < $1.key }) { visit(rule) }
        return faults
    }

    private enum Resolution {
        case rule(BodyRule)
        case unknown(String)
        case circle
    }

    private func resolve(_ name: String) -> Resolution {
        var name = name
        for _ in 0...named.count {
            guard let rule = named[name] else { return .unknown(name) }
            guard case .named(let next) = rule.content else { return .rule(rule) }
            name = next
        }
        return .circle
    }

    func rule(named name: String) -> BodyRule {
        if case .rule(let rule) = resolve(name) { rule } else { BodyRule(.any) }
    }
}
