import EndpointPlans

/// The keys of an object whose values are properties of a policy.
struct SettingTable<Root: Sendable>: Sendable {
    typealias Time = any KeyPath<Root, Duration> & Sendable
    typealias Order = (least: Time, most: Time)

    let shape: Shape
    /// The policy with its defaults.
    let standard: Root
    private let settings: [Setting<Root>]
    private let ascending: [Order]
    private let isComplete: @Sendable (ShapeValues) -> Bool
    private let check: @Sendable (ShapeValues, SettingChanges<Root>) -> Void

    /// - Parameters:
    ///   - title: what the object is called in messages.
    ///   - definition: the name of the definition in the JSON Schema. By default the title.
    ///   - standard: the policy with its defaults.
    ///   - required: the members that the object must have.
    ///   - exactlyOne: the members of which the object must have exactly one, for the JSON Schema.
    ///   - example: such an object, for messages. By default the first member that has a default.
    ///   - meant: what is likely meant by names of other objects.
    ///   - others: further members, which the table does not read.
    ///   - ascending: times of which the second must not be less than the first.
    ///   - isComplete: reports what is missing, before anything is read.
    ///   - check: reports what does not fit together.
    ///   - settings: the keys, in the order in which they are read and shown.
    init(
        _ title: String, definition: String? = nil, standard: Root, required: [String] = [],
        exactlyOne: [String] = [], example: String? = nil, meant: [String: String] = [:],
        others: [AnyMember] = [],
        ascending: [Order] = [],
        isComplete: @escaping @Sendable (ShapeValues) -> Bool = { _ in true },
        check: @escaping @Sendable (ShapeValues, SettingChanges<Root>) -> Void = { _, _ in },
        @SettingList<Root> _ settings: () -> [Setting<Root>]
    ) {
        let settings = settings()
        self.settings = settings
        self.standard = standard
        self.ascending = ascending
        self.isComplete = isComplete
        self.check = check
        let members = settings.map { setting in
            AnyMember(
                name: setting.name, schema: setting.schema, fallback: setting.written(standard),
                description: setting.description, shape: setting.shape,
                takes: {
                    setting.read($0, Subject(setting.name, standard: setting.written(standard)), $1) != nil
                })
        }
        shape = Shape(
            title, definition: definition ?? title, required: required, exactlyOne: exactlyOne,
            example: example, meant: meant, members: members + others)
    }

    /// Returns what an object sets; nil if something is missing.
    func changes(_ values: ShapeValues) -> SettingChanges<Root>? {
        guard isComplete(values) else { return nil }
        var changes = SettingChanges<Root>()
        for setting in settings {
            guard let value = values.map[setting.name]?.value else { continue }
            let subject = Subject(setting.name, of: values.prefix, standard: setting.written(standard))
            let own = values.reader.inside(values.shape) { setting.read(value, subject, values.reader) }
            if let own { changes.add(own) }
        }
        for order in ascending { checkOrder(order, values, &changes) }
        check(values, changes)
        return changes
    }

    /// Returns the keys with the values of a policy as YAML writes them; nil for a value that is not one
    /// scalar, or is absent.
    func values(of root: Root) -> [(key: String, value: String?)] {
        settings.map { ($0.name, $0.shown(root)) }
    }

    /// Reports a time that is beyond another. Each has its default if the file does not set it.
    private func checkOrder(_ order: Order, _ values: ShapeValues, _ changes: inout SettingChanges<Root>) {
        guard let least = settings.first(where: { $0.path == order.least }),
            let most = settings.first(where: { $0.path == order.most })
        else { preconditionFailure("\(shape.title) has no key for a time that it compares") }
        func key(_ setting: Setting<Root>) -> String { values.key(setting.name) }
        guard !changes.isUnknown(key(least)), !changes.isUnknown(key(most)) else {
            // One alone may not fit the other's default.
            changes.setUnknown(key(least))
            changes.setUnknown(key(most))
            return
        }
        let policy = changes.applied(to: standard)
        guard policy[keyPath: order.least] > policy[keyPath: order.most],
            let place = values.map[most.name]?.value.place ?? values.map[least.name]?.value.place
        else { return }
        func shown(_ setting: Setting<Root>) -> String {
            let isSet = values.map[setting.name] != nil
            return key(setting) + (isSet ? "" : " (\(setting.written(standard) ?? ""))")
        }
        values.reader.error("\(shown(most)) is less than \(shown(least))", at: place)
    }
}

/// Lists the keys of a table, one a line.
@resultBuilder
enum SettingList<Root: Sendable> {
    static func buildExpression(_ setting: Setting<Root>) -> Setting<Root> { setting }

    static func buildBlock(_ settings: Setting<Root>...) -> [Setting<Root>] { settings }
}

extension ValueType {
    /// An object whose keys set properties.
    static func settings<Root>(
        _ table: @escaping @autoclosure @Sendable () -> SettingTable<Root>, prefixes: Bool = true
    ) -> ValueType where Value == SettingChanges<Root> {
        .object(table().shape, prefixes: prefixes) { table().changes($0) }
    }

    /// An object whose keys set properties of a policy that is absent without it.
    static func present<Root>(
        _ table: @escaping @autoclosure @Sendable () -> SettingTable<Root>
    ) -> ValueType where Value == SettingChanges<Root?> {
        .object(table().shape, prefixes: true) { values in
            let table = table()
            return table.changes(values)?.orAbsent(from: table.standard)
        }
    }

    /// The same, for a policy that `off` or `false` switches off.
    static func orOff<Root>(
        _ table: @escaping @autoclosure @Sendable () -> SettingTable<Root>
    ) -> ValueType where Value == SettingChanges<Root?> {
        orOff(.present(table()), off: SettingChanges { $0 = nil })
    }

    /// A value that `off` or `false` switches off.
    static func orOff<On: Sendable>(_ type: ValueType<On>) -> ValueType where Value == On? {
        orOff(type.optional, off: nil, written: "off")
    }

    private static func orOff(_ type: ValueType, off: Value, written: String? = nil) -> ValueType {
        let switchable = ValueType<ConfigSwitch<Value>>.switchable(type)
        return ValueType(schema: switchable.schema) { node, subject, reader in
            switch switchable.read(node, subject, reader) {
            case nil: nil
            case .off?: .some(off)
            case .on(let value)?: .some(value)
            }
        } written: { value in
            type.written?(value) ?? written
        }.withShape(type.shape)
    }

    /// The value of a property that may be nil.
    var optional: ValueType<Value?> {
        let written = written
        return ValueType<Value?>(schema: schema) { node, subject, reader in
            read(node, subject, reader).map { .some($0) }
        } written: { value in
            value.flatMap { written?($0) }
        }.withShape(shape)
    }

    /// A value of a property that is otherwise set key by key.
    var whole: ValueType<SettingChanges<Value?>> {
        map { value in SettingChanges { $0 = value } }
    }
}
