package import JSONBytes

/// What a JSON body, or a value in it, must be: the subset of JSON Schema that endpoints declare.
package struct BodyRule: Sendable {
    package enum Content: Sendable {
        /// Any value.
        case any
        case scalar(ValueRule)
        case object(ObjectRule)
        case array(ArrayRule)
        /// A rule by name, which may refer to itself.
        case named(String)
    }

    package struct ObjectRule: Sendable {
        package var properties: [(name: String, rule: BodyRule)]
        package var required: [String]
        /// Whether there may be members that `properties` does not list.
        package var allowsOthers: Bool
        /// None, or the rule of each such member: an array is what makes the rule recursive.
        package var others: [BodyRule]

        package init(
            properties: [(name: String, rule: BodyRule)] = [], required: [String] = [],
            allowsOthers: Bool = true, others: BodyRule? = nil
        ) {
            self.others = others.map { [$0] } ?? []
            self.properties = properties
            self.required = required
            self.allowsOthers = allowsOthers
        }
    }

    package struct ArrayRule: Sendable {
        /// None, or the rule of each element: an array is what makes the rule recursive.
        package var items: [BodyRule]
        package var minItems: Int?
        package var maxItems: Int?
        /// Whether no message shows how many elements there may be.
        package var hidesCounts = false

        package init(items: BodyRule? = nil, minItems: Int? = nil, maxItems: Int? = nil) {
            self.items = items.map { [$0] } ?? []
            self.minItems = minItems
            self.maxItems = maxItems
        }
    }

    package var content: Content
    /// The only values allowed, whatever their kind.
    package var allowed: AllowedValues?

    /// - Parameters:
    ///   - content: what the value must be.
    ///   - values: the only values allowed; nil for any.
    ///   - hidesValues: whether no message shows them.
    package init(_ content: Content, values: [JSONFragment]? = nil, hidesValues: Bool = false) {
        self.content = content
        allowed = values.map { AllowedValues($0, isHidden: hidesValues) }
    }
}

/// The rule of an endpoint's body, with the rules that it refers to by name.
package struct BodySchema: Sendable {
    package var root: BodyRule
    package var named: [String: BodyRule]

    package init(_ root: BodyRule, named: [String: BodyRule] = [:]) {
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
