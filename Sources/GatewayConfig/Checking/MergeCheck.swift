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
    func names(of parts: [ConfigPart]) -> Names {
        var names = Names()
        for part in parts {
            let inner = check(part)
            guard !part.isHidden, !reader.partsOfUnknownPlace.contains(part.name.place) else { continue }
            guard part.isMerged else {
                claim(part.name.value, for: part, in: &names)
                continue
            }
            let merged = memberNames(of: part, inner)
            if merged.open != nil {
                if let other = names.open {
                    problems.error(
                        "parts \(other) and \(part.name.value) are both merged without keep, so their members could "
                            + "have the same names", at: part.name.place)
                }
                names.open = part.name.value
            }
            // Sorted, so that the first message is the same in each run.
            for name in merged.known.keys.sorted() { claim(name, for: part, in: &names) }
        }
        return names
    }

    private func claim(_ name: String, for part: ConfigPart, in names: inout Names) {
        if let other = names.known[name] {
            problems.error(
                "parts \(other.part) and \(part.name.value) both have the member \"\(Shown.text(name))\" of one object",
                at: part.name.place)
        } else {
            names.known[name] = (part.name.value, part.name.place)
        }
    }

    // MARK: One part

    /// Checks a part alone, and the parts in it. Returns the members of a group.
    @discardableResult
    func check(_ part: ConfigPart) -> Names? {
        var inner: Names?
        if case .group(let group) = part.kind { inner = names(of: group.parts) }
        RenameCheck(problems: problems).run(part)
        if part.isMerged { checkMerged(part) }
        return inner
    }

    private func checkMerged(_ part: ConfigPart) {
        func refuse(_ what: String, _ place: ConfigPlace) {
            problems.error("a part that is merged is an object, and \(what)", at: place)
        }
        switch part.kind {
        case .call(let call):
            if let expect = call.expect, expect.value != .object {
                refuse("expect names another kind", expect.place)
            }
        case .forEach: refuse("forEach makes an array", part.name.place)
        case .group, .value(.object), .value(.reference): break
        case .value(let value):
            if value.constant?.kind != .object { refuse("this value is none", part.name.place) }
        }
        if case .fallback(let fallback) = part.policy, fallback.value.kind != .object {
            refuse("this fallback is none", fallback.place)
        }
    }

    /// Returns the members that a merged part adds to its object.
    private func memberNames(of part: ConfigPart, _ inner: Names?) -> Names {
        var names = Names()
        func add(_ name: String) { names.known[name] = (part.name.value, part.name.place) }
        if let keep = part.keep {
            for path in keep { add(Self.text(path.value.names[0])) }
        } else {
            switch part.kind {
            case .group: names = inner ?? Names()
            case .value(.object(let members)): for member in members { add(member.name) }
            case .value(.constant(let json)):
                for member in json.members { add(member.name) }
            case .value, .call, .forEach: names.open = part.name.value
            }
        }
        for path in part.drop where path.value.names.count == 1 {
            names.known[Self.text(path.value.names[0])] = nil
        }
        for rename in part.rename where rename.path.value.names.count == 1 {
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
