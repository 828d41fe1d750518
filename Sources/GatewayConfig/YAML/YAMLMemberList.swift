import ASCIIText
import EndpointPlans

/// A name of a mapping whose value has not come.
struct YAMLKey {
    let name: String
    let place: ConfigPlace
    /// In characters from the start of the text.
    let end: Int
    /// Whether it is the merge key `<<` of YAML 1.1.
    let isMerge: Bool
    /// Whether the value is kept. False for names that are not text.
    let isValid: Bool
}

/// The members of a mapping, while it is read.
struct YAMLMemberList {
    private var members: [YAMLMember] = []
    /// What `<<` merges, and the number of members before it.
    private var merge: (maps: [YAMLMap], index: Int)?
    private var mergePlace: ConfigPlace?
    /// Used for large mappings only: a search in a small one is faster.
    private var names: [String: Int]?

    private static let searchedMembers = 16

    mutating func add(_ key: YAMLKey, _ value: YAMLNode, _ problems: ProblemList) {
        guard key.isValid else { return }
        guard !key.isMerge else { return addMerge(key, value, problems) }
        if let first = index(of: key.name) {
            problems.error(
                "the name \"\(Shown.text(key.name))\" is repeated; its first place is line "
                    + "\(members[first].namePlace.line)", at: key.place)
            return
        }
        names?[key.name] = members.count
        members.append(YAMLMember(name: key.name, namePlace: key.place, value: value))
        if names == nil, members.count > Self.searchedMembers {
            names = Dictionary(
                uniqueKeysWithValues: members.enumerated().map { ($0.element.name, $0.offset) })
        }
    }

    private func index(of name: String) -> Int? {
        if let names { return names[name] }
        return members.firstIndex { $0.name == name }
    }

    private mutating func addMerge(_ key: YAMLKey, _ value: YAMLNode, _ problems: ProblemList) {
        if let mergePlace {
            problems.error(
                "the name \"<<\" is repeated; its first place is line \(mergePlace.line); << takes a list, too",
                at: key.place)
            return
        }
        mergePlace = key.place
        switch value.content {
        case .map(let map): merge = ([map], members.count)
        case .list(let items):
            let maps = items.compactMap { item -> YAMLMap? in
                if case .map(let map) = item.content { return map }
                refuse(item, key, problems)
                return nil
            }
            merge = (maps, members.count)
        case .scalar, .invalid: refuse(value, key, problems)
        }
    }

    private func refuse(_ value: YAMLNode, _ key: YAMLKey, _ problems: ProblemList) {
        if case .invalid = value.content { return }
        // An alias's value has the place of its anchor.
        problems.error("<< merges a mapping or a list of mappings, usually an alias", at: key.place)
    }

    /// Returns the members, with those that `<<` merges at its place. Members of the mapping itself win, then
    /// members of the first mapping of a list.
    func resolved(_ problems: ProblemList) -> [YAMLMember] {
        guard let merge else { return members }
        var known = Set(members.map(\.name))
        var merged: [YAMLMember] = []
        for map in merge.maps {
            for member in map.members where known.insert(member.name).inserted { merged.append(member) }
        }
        return Array(members[..<merge.index] + merged + members[merge.index...])
    }
}
