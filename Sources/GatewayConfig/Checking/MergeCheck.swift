import EndpointPlans
import JSONBytes

/// Checks that no two parts of an object have the same place (rule 8).
struct MergeCheck {
    /// The names of an object's members, as far as the file tells.
    struct Names {
        /// With the part from which each comes, and its place.
        var known: [String: (part: String, place: ConfigPlace)] = [:]
        /// A part whose members are known only when it is fetched.
        var open: String?
    }

    let reader: ConfigReader
    private var problems: ProblemList { reader.problems }

    /// Checks parts and returns the members of the object that they make.
    func names(of parts: [PlannedPart]) -> Names {
        var names = Names()
        for part in parts {
            let inner = check(part)
            guard !part.isHidden, !reader.partsOfUnknownPlace.contains(part.place) else { continue }
            guard part.isMerged else {
                claim(part.name, for: part, in: &names)
                continue
            }
            let merged = memberNames(of: part, inner)
            if merged.open != nil {
                if let other = names.open {
                    problems.error(
                        "parts \(other) and \(part.name) are both merged without keep, so their members could "
                            + "have the same names", at: part.place)
                }
                names.open = part.name
            }
            // Sorted, so that the first message is the same in each run.
            for name in merged.known.keys.sorted() { claim(name, for: part, in: &names) }
        }
        return names
    }

    private func claim(_ name: String, for part: PlannedPart, in names: inout Names) {
        if let other = names.known[name] {
            problems.error(
                "parts \(other.part) and \(part.name) both have the member \"\(Shown.text(name))\" of one object",
                at: part.place)
        } else {
            names.known[name] = (part.name, part.place)
        }
    }

    // MARK: One part

    /// Checks a part alone, and the parts in it. Returns the members of a group.
    @discardableResult
    func check(_ part: PlannedPart) -> Names? {
        var inner: Names?
        if case .group(let group) = part.content { inner = names(of: group.parts) }
        RenameCheck(problems: problems).run(part)
        if part.isMerged { checkMerged(part) }
        return inner
    }

    private func checkMerged(_ part: PlannedPart) {
        func refuse(_ what: String, _ place: ConfigPlace) {
            problems.error("merge: \(what)", at: place)
        }
        switch part.content {
        case .call(let call):
            if call.items != nil {
                refuse("the value must be an object, but forEach makes an array", part.place)
            } else if let expect = call.$expected, expect.value != .object {
                refuse("the value must be an object, but expect names another kind", expect.place)
            }
        case .group, .value(.object), .value(.reference): break
        case .value(let value):
            if value.constant?.kind != .object { refuse("the value must be an object", part.place) }
        }
        if case .fallback(let fallback) = part.policy, fallback.value.kind != .object {
            refuse("the fallback must be an object", fallback.place)
        }
    }

    /// Returns the members that a merged part adds to its object.
    private func memberNames(of part: PlannedPart, _ inner: Names?) -> Names {
        var names = Names()
        func add(_ name: String) { names.known[name] = (part.name, part.place) }
        if let keep = part.shape.kept {
            for path in keep { add(Self.text(path.value.names[0])) }
        } else {
            switch part.content {
            case .group: names = inner ?? Names()
            case .value(.object(let members)): for member in members { add(member.name) }
            case .value(.constant(let json)):
                for member in json.members { add(member.name) }
            case .value, .call: names.open = part.name
            }
        }
        for path in part.shape.dropped where path.value.names.count == 1 {
            names.known[Self.text(path.value.names[0])] = nil
        }
        for rename in part.shape.renamed where rename.path.value.names.count == 1 {
            let old = Self.text(rename.path.value.names[0])
            if names.known.removeValue(forKey: old) != nil { add(rename.name.value) }
        }
        // Members of an open part give way to others, so they cannot collide.
        if case .fallback(let fallback) = part.policy, names.open == nil {
            for member in fallback.value.members { add(member.name) }
        }
        return names
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
