import JSONBytes

extension JSONFragment {
    /// Whether an object in the value, at any level, has two members of one name.
    ///
    /// Readers disagree on which of them counts, so one reader could check what another does not use (RFC
    /// 8725 2.4). Names that Unicode regards as equal count as one name.
    var hasRepeatedMember: Bool {
        switch kind {
        case .object:
            let members = members
            var names = Set<String>(minimumCapacity: members.count)
            return members.contains { !names.insert($0.name).inserted || $0.value.hasRepeatedMember }
        case .array: return elements.contains { $0.hasRepeatedMember }
        case .null, .bool, .number, .string: return false
        }
    }
}
