import EndpointPlans

/// A property of a policy.
typealias SettingPath<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

/// A key of the format that sets a property of a policy. Its name, type, range and meaning stand only here,
/// and the default is the policy's own. Decoding, suggestions, the JSON Schema and the tables of the article
/// come from it.
struct Setting<Root: Sendable>: Sendable {
    let name: String
    let description: String
    let schema: @Sendable (inout SchemaDefinitions) -> SchemaTree
    /// The object of the format that the value is; nil for other values.
    let shape: (@Sendable () -> Shape)?
    /// Returns the value of a policy as YAML writes it; nil if it has no such form, or depends on the
    /// machine.
    let written: @Sendable (Root) -> String?
    /// The same for a value that depends on the machine, too.
    let shown: @Sendable (Root) -> String?
    /// The property.
    let path: (any PartialKeyPath<Root> & Sendable)?
    /// Returns nil after a problem.
    let read: @Sendable (YAMLNode, Subject, ConfigReader) -> SettingChanges<Root>?

    private init<Value>(
        _ name: String, _ type: ValueType<Value>, _ description: String,
        path: (any PartialKeyPath<Root> & Sendable)?, written: @escaping @Sendable (Root) -> String?,
        shown: (@Sendable (Root) -> String?)? = nil,
        changes: @escaping @Sendable (Value?, YAMLNode, Subject) -> SettingChanges<Root>?
    ) {
        self.name = name
        self.description = description
        self.path = path
        self.written = written
        self.shown = shown ?? written
        schema = type.schema
        shape = type.shape
        read = { node, subject, reader in changes(type.read(node, subject, reader), node, subject) }
    }

    /// A property.
    ///
    /// - Parameters:
    ///   - showsDefault: false if the default depends on the machine.
    ///   - substitute: the value after a problem, if the default would cause another problem.
    init<Value>(
        _ name: String, _ path: SettingPath<Root, Value>, _ type: ValueType<Value>,
        showsDefault: Bool = true, afterProblem substitute: Value? = nil, _ description: String
    ) {
        self.init(
            name, type, description, path: path,
            written: { showsDefault ? type.written?($0[keyPath: path]) : nil },
            shown: { type.written?($0[keyPath: path]) },
            changes: { value, node, subject in
                (value ?? substitute).map { value in
                    SettingChanges { $0[keyPath: path] = value }.named(subject.text, node)
                }
            })
    }

    /// A property that may be nil.
    init<Value>(
        _ name: String, _ path: SettingPath<Root, Value?>, _ type: ValueType<Value>,
        _ description: String
    ) {
        self.init(name, path, type.optional, description)
    }

    /// A property whose own properties have keys.
    ///
    /// - Parameter written: returns its default as YAML writes it.
    init<Inner>(
        _ name: String, _ path: SettingPath<Root, Inner>,
        _ type: ValueType<SettingChanges<Inner>>,
        default written: @escaping @Sendable (Inner) -> String? = { _ in nil }, _ description: String
    ) {
        self.init(
            name, type, description, path: path, written: { written($0[keyPath: path]) },
            changes: { changes, node, subject in changes?.named(subject.text, node).moved(to: path) })
    }

    /// A property with another form in the file.
    init<Value: Sendable>(
        _ name: String, _ type: ValueType<Value>, _ description: String,
        set: @escaping @Sendable (inout Root, Value) -> Void
    ) {
        self.init(
            name, type, description, path: nil, written: { _ in nil },
            changes: { value, node, subject in
                value.map { value in SettingChanges { set(&$0, value) }.named(subject.text, node) }
            })
    }
}
