import ASCIIText
package import JSONBytes

/// What the references of one endpoint may name.
package final class ReferenceScope {
    /// What is read at the moment, and so what it may refer to.
    package struct Site {
        /// The step at the top. Nil for a part and for the answer.
        package var step: Int?
        /// Whether it is the request of a `forEach`.
        package var hasItem = false

        package init(step: Int? = nil, hasItem: Bool = false) {
            self.step = step
            self.hasItem = hasItem
        }
    }

    /// A part, or the root around all of them.
    private struct Entry {
        /// With the groups around it.
        let names: [String]
        var children: [String: Int] = [:]
        /// In the order of the file.
        var childNames: [String] = []
        /// Whether its value has members that are not known here.
        var hasMergedPart = false
    }

    /// Nil if they are not known.
    package var pathNames: NameList?
    package var queryNames = NameList()
    package var headerNames = NameList() {
        didSet { foldedHeaderNames = NameList(headerNames.names.map { $0.lowercased() }) }
    }
    private var foldedHeaderNames = NameList()
    package var takesBody = false
    /// The schema of the body, if it has one without problems.
    package var body: Schema?
    /// Whether the endpoint requires an identity, whose claims a reference may name.
    package var hasIdentity = false
    private var stepNames = NameList()
    /// The names of the steps in each group.
    private var stepMembers: [String: NameList] = [:]
    /// The first entry is the root.
    private var entries = [Entry(names: [])]
    package var site = Site()

    package init() {}

    /// The scope of an endpoint without faults in its names.
    convenience init(of endpoint: PlannedEndpoint) {
        self.init()
        pathNames = NameList(endpoint.path.value.parameters)
        queryNames = NameList(endpoint.parameters(in: .query).map(\.name.value))
        headerNames = NameList(endpoint.parameters(in: .header).map(\.name.value))
        takesBody = endpoint.body != nil
        body = endpoint.body
        hasIdentity = endpoint.settings.requirement?.entries.isEmpty == false
        var members: [String: NameList] = [:]
        for step in endpoint.first {
            guard case .group(let group) = step.content else { continue }
            members[step.name] = NameList(group.parts.map(\.name))
        }
        declareSteps(endpoint.first.map(\.name), members: members)
        add(endpoint.parts.list, to: 0)
    }

    private func add(_ parts: [PlannedPart], to parent: Int) {
        for part in parts {
            let index = add(part.name, to: parent, isMerged: part.isMerged && !part.isHidden)
            if case .group(let group) = part.content { add(group.parts, to: index) }
        }
    }

    /// Adds a part below `parent` and returns its index.
    package func add(_ name: String, to parent: Int, isMerged: Bool) -> Int {
        let index = entries.count
        entries[parent].children[name] = index
        entries[parent].childNames.append(name)
        if isMerged { entries[parent].hasMergedPart = true }
        entries.append(Entry(names: entries[parent].names + [name]))
        return index
    }

    /// Declares all steps, so that a reference to a later one is an error of its own.
    ///
    /// - Parameter members: the names of the steps in each group.
    package func declareSteps(_ names: [String], members: [String: NameList] = [:]) {
        stepNames = NameList(names)
        stepMembers = members
    }

    package func child(_ name: String, of parent: Int) -> Int? { entries[parent].children[name] }

    /// Returns the root of the references to a part, a step or a parameter with this name.
    package func root(of name: String) -> ReferenceRoot? {
        if child(name, of: 0) != nil { return .parts }
        if stepNames.contains(name) { return .first }
        if pathNames?.contains(name) == true { return .path }
        return queryNames.contains(name) ? .query : nil
    }

    /// A reason why a reference is invalid, phrased to follow it.
    package struct Fault: Error {
        /// Made only if it is reported.
        package let message: @Sendable () -> String

        init(message: @escaping @Sendable @autoclosure () -> String) {
            self.message = message
        }
    }

    /// Returns the reference that the names in braces make here.
    package func resolve(
        _ root: ReferenceRoot, _ path: [JSONPathStep], text: String, at place: ConfigPlace
    ) throws(Fault) -> PlanReference {
        let (source, rest) = try source(root, path)
        return PlanReference(source, ValuePath(steps: Array(rest)), text: text, at: place)
    }

    private func source(
        _ root: ReferenceRoot, _ path: [JSONPathStep]
    ) throws(Fault) -> (PlanReference.Source, ArraySlice<JSONPathStep>) {
        switch root {
        case .path: return (.path(try parameter("path parameter", path, pathNames)), [])
        case .query: return (.query(try parameter("query parameter", path, queryNames)), [])
        case .header:
            // Case does not matter, and the name is the declared one.
            var path = path
            if let name = path.first?.name, let index = foldedHeaderNames.index(of: name.lowercased()) {
                path[0] = .name(Array(headerNames.names[index].utf8))
            }
            return (.header(try parameter("header", path, headerNames)), [])
        case .body:
            guard takesBody else {
                throw Fault(message: "the endpoint declares no body, such as body: {type: object}")
            }
            if let body, let fault = SchemaMembers.fault(of: path, below: body) { throw fault }
            return (.body, path[...])
        case .claims:
            guard path.first?.name != nil else {
                throw Fault(message: "a claim has a name, such as {claims.sub}")
            }
            guard hasIdentity else {
                throw Fault(message: "the endpoint has no require, so no caller has claims")
            }
            return (.claims, path[...])
        case .first: return try step(path)
        case .parts: return try part(path)
        case .item:
            guard site.hasItem else {
                throw Fault(message: "only the request of a part with forEach has an item")
            }
            return (.item, path[...])
        }
    }

    private func parameter(
        _ kind: String, _ path: [JSONPathStep], _ known: NameList?
    ) throws(Fault) -> String {
        guard let name = path.first?.name else { throw Fault(message: "a \(kind) has a name") }
        if let known, !known.contains(name) {
            throw Fault(
                message: "the endpoint declares no \(kind) \"\(Shown.text(name))\""
                    + Suggestion.textOrNames(for: name, among: known.names))
        }
        guard path.count == 1 else { throw Fault(message: "a \(kind) has no members and no elements") }
        return name
    }

    private func step(
        _ path: [JSONPathStep]
    ) throws(Fault) -> (PlanReference.Source, ArraySlice<JSONPathStep>) {
        guard let name = path.first?.name else { throw Fault(message: "a step has a name") }
        let known = stepNames.names
        guard let index = stepNames.index(of: name) else {
            throw Fault(
                message: "there is no step \"\(Shown.text(name))\""
                    + Suggestion.textOrNames(for: name, among: known))
        }
        if let fault = orderFault(index, name) { throw fault }
        guard let members = stepMembers[name] else { return (.step([name]), path.dropFirst()) }
        guard let member = path.dropFirst().first?.name else {
            throw Fault(
                message: "a group of steps has no value; read one of its steps"
                    + Suggestion.textOrNames(for: "", among: members.names.lazy.map { "\(name).\($0)" }))
        }
        guard members.contains(member) else {
            let full = "\(name).\(member)"
            throw Fault(
                message: "there is no step \"\(Shown.text(full))\""
                    + Suggestion.textOrNames(for: full, among: members.names.lazy.map { "\(name).\($0)" }))
        }
        return (.step([name, member]), path.dropFirst(2))
    }

    /// Returns why the current step cannot read another step; nil if it can, and for a part.
    private func orderFault(_ index: Int, _ name: String) -> Fault? {
        guard let current = site.step, index >= current else { return nil }
        if index > current {
            return Fault(message: "the step \"\(name)\" is called later; a step reads earlier ones")
        }
        return stepMembers[name] == nil
            ? Fault(message: "a step cannot read itself")
            : Fault(message: "the steps of a group start together, so they cannot read each other")
    }

    private func part(
        _ path: [JSONPathStep]
    ) throws(Fault) -> (PlanReference.Source, ArraySlice<JSONPathStep>) {
        guard site.step == nil else {
            throw Fault(message: "a step cannot read a part, which starts after the steps")
        }
        guard path.first?.name != nil else { throw Fault(message: "a part has a name") }
        var index = 0
        var rest = path[...]
        while let name = rest.first?.name, !entries[index].children.isEmpty {
            guard let child = entries[index].children[name] else {
                // A member of the group's value may come from a part that is merged into it.
                if index != 0, entries[index].hasMergedPart { break }
                throw unknown(name, in: index)
            }
            index = child
            rest = rest.dropFirst()
        }
        guard index != 0 else {
            guard let name = path.first?.name else { throw Fault(message: "a part has a name") }
            throw unknown(name, in: 0)
        }
        return (.part(entries[index].names), rest)
    }

    private func unknown(_ name: String, in group: Int) -> Fault {
        let prefix = entries[group].names.map { "\($0)." }.joined()
        let known = entries[group].childNames
        return Fault(
            message: "there is no part \"\(Shown.text(prefix + name))\""
                + Suggestion.textOrNames(for: prefix + name, among: known.lazy.map { prefix + $0 }))
    }
}
