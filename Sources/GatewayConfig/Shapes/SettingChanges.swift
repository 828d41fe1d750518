package import EndpointPlans

/// What a file sets of a policy, with the places. Other properties keep their values.
package struct SettingChanges<Root: Sendable>: Sendable {
    private struct Change: Sendable {
        /// The path of the key: `breaker.open`.
        var key = ""
        var place = ConfigPlace.start(of: 0)
        /// Whether the value has a variable that is not read.
        var isUnknown = false
        let make: @Sendable (inout Root) -> Void
    }

    /// In the order of the table. A few, so a search beats a dictionary.
    private var list: [Change] = []

    init() {}

    /// Changes whose key is still to be named.
    init(_ make: @escaping @Sendable (inout Root) -> Void) {
        list = [Change(make: make)]
    }

    package func apply(to root: inout Root) {
        for change in list { change.make(&root) }
    }

    /// Returns the policy with the changes.
    package func applied(to root: Root) -> Root {
        var root = root
        apply(to: &root)
        return root
    }

    package func has(_ key: String) -> Bool { list.contains { $0.key == key } }

    /// Returns the place of a key's value; of a list, the place of its first element.
    package func place(of key: String) -> ConfigPlace? { list.first { $0.key == key }?.place }

    /// The keys with the places of their values.
    package var places: [(key: String, place: ConfigPlace)] { list.map { ($0.key, $0.place) } }

    /// Whether a key's value has a variable that is not read.
    func isUnknown(_ key: String) -> Bool { list.contains { $0.key == key && $0.isUnknown } }

    // MARK: Composing

    mutating func add(_ others: SettingChanges) { list += others.list }

    package mutating func add(_ make: @escaping @Sendable (inout Root) -> Void) {
        list.append(Change(make: make))
    }

    /// Notes where the file has a value that another change makes.
    mutating func note(_ key: String, at place: ConfigPlace) {
        list.append(Change(key: key, place: place) { _ in })
    }

    mutating func setUnknown(_ key: String) {
        for index in list.indices where list[index].key == key { list[index].isUnknown = true }
    }

    /// Returns the changes under a key: those without one are of its own value.
    func named(_ key: String, _ node: YAMLNode) -> SettingChanges {
        var named = self
        if !list.contains(where: \.key.isEmpty) { named.list.insert(Change { _ in }, at: 0) }
        // Each key inside knows whether its own value is known.
        let isUnknown = list.allSatisfy(\.key.isEmpty) && node.isUnknown
        for index in named.list.indices where named.list[index].key.isEmpty {
            named.list[index].key = key
            named.list[index].place = node.firstPlace
            named.list[index].isUnknown = isUnknown
        }
        return named
    }

    /// Returns the changes of a policy that has this one as a property.
    func moved<Other>(
        to path: SettingPath<Other, Root>
    ) -> SettingChanges<Other> {
        moved { make in { make(&$0[keyPath: path]) } }
    }

    /// Returns the changes of a policy that may be absent. They begin with a default one.
    func orAbsent(from standard: Root) -> SettingChanges<Root?> {
        var changes = SettingChanges<Root?> { $0 = $0 ?? standard }
        changes.add(
            moved { make in
                { policy in
                    guard var changed = policy else { return }
                    make(&changed)
                    policy = changed
                }
            })
        return changes
    }

    private func moved<Other>(
        _ move: (@escaping @Sendable (inout Root) -> Void) -> @Sendable (inout Other) -> Void
    ) -> SettingChanges<Other> {
        var moved = SettingChanges<Other>()
        moved.list = list.map {
            .init(key: $0.key, place: $0.place, isUnknown: $0.isUnknown, make: move($0.make))
        }
        return moved
    }

    // MARK: Parts

    /// The changes whose values are known.
    package var known: SettingChanges {
        var known = self
        known.list.removeAll(where: \.isUnknown)
        return known
    }

    /// Returns the changes without some keys and the keys of their objects.
    package func without(_ keys: String...) -> SettingChanges {
        var rest = self
        rest.list.removeAll { change in
            keys.contains { change.key == $0 || change.key.hasPrefix("\($0).") }
        }
        return rest
    }
}

extension YAMLNode {
    /// The place of a value; of a list, the place of its first element.
    var firstPlace: ConfigPlace {
        if case .list(let items) = content, let first = items.first { first.place } else { place }
    }

    /// Whether a variable that is not read is in it.
    var isUnknown: Bool {
        switch content {
        case .scalar(let scalar): scalar.isUnknown
        case .list(let items): items.contains(where: \.isUnknown)
        case .map(let map): map.members.contains(where: \.value.isUnknown)
        case .invalid: false
        }
    }
}
