import ASCIIText
import EndpointPlans

/// Makes a tree of the events of one file. Reports all that it can and stops only at errors of the syntax and
/// at limits.
struct YAMLComposer {
    /// A list or a mapping whose end has not come.
    private struct Frame {
        let isMap: Bool
        let isFlow: Bool
        let place: ConfigPlace
        let anchor: String?
        /// Whether it stands where a name belongs. It is refused, and its values are read for their own
        /// problems.
        let isName: Bool
        var items: [YAMLNode] = []
        var members = YAMLMemberList()
        var key: YAMLKey?
        var size = 1
        var height = 1
    }

    /// What a file contains, if it could be read to its end.
    private enum Stop: Error {
        case limit(String, YAMLMark)
        case syntax(YAMLSyntaxError)
    }

    let file: Int
    let limits: YAMLLimits
    let problems: ProblemList
    /// Builds the value of a scalar other than a name; nil if it has reported a problem.
    let scalar: (_ text: String, _ style: YAMLScalar.Style, _ place: ConfigPlace) -> YAMLScalar?
    private(set) var nodeCount: Int

    private var frames: [Frame] = []
    private var anchors: [String: YAMLNode] = [:]
    /// In the order of the file.
    private var anchorNames: [String] = []
    private var root: YAMLNode?

    /// - Parameter nodeCount: the number of values in the files before this one.
    init(
        file: Int, limits: YAMLLimits = YAMLLimits(), nodeCount: Int = 0, problems: ProblemList,
        scalar: @escaping (String, YAMLScalar.Style, ConfigPlace) -> YAMLScalar? = { text, style, _ in
            YAMLScalar(text: text, style: style)
        }
    ) {
        self.file = file
        self.limits = limits
        self.nodeCount = nodeCount
        self.problems = problems
        self.scalar = scalar
    }

    /// Returns the file's value, or nil after a problem that ends the reading of this file.
    mutating func compose(_ bytes: [UInt8]) -> YAMLNode? {
        var text = bytes[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        // The byte order marks of UTF-16, and ASCII in UTF-16 without one.
        guard text.first != 0xFE, text.first != 0xFF, !text.prefix(2).contains(0) else {
            problems.error("the file is UTF-16 or binary; write it in UTF-8", at: .start(of: file))
            return nil
        }
        do throws(Stop) {
            try text.withUnsafeBufferPointer { (text) throws(Stop) in try read(text) }
        } catch {
            switch error {
            case .limit(let message, let mark): problems.error(message, at: place(mark))
            case .syntax(let error):
                let (message, line, column) = YAMLSyntaxMessage.describe(error, in: text)
                problems.error(message, at: ConfigPlace(file: file, line: line, column: column))
            }
            return nil
        }
        if root == nil { problems.error("the file is empty", at: .start(of: file)) }
        return root
    }

    private mutating func read(_ text: UnsafeBufferPointer<UInt8>) throws(Stop) {
        var parser = YAMLParser(text)
        while true {
            let event: YAMLEvent
            do throws(YAMLSyntaxError) { event = try parser.next() } catch { throw .syntax(error) }
            if parser.hasTag { problems.error("the format has no tags", at: place(parser.start)) }
            switch event {
            case .streamEnd: return
            case .other: continue
            case .documentStart:
                guard root != nil else { continue }
                problems.error(
                    "a second document begins here; the format has one in a file", at: place(parser.start))
                return
            case .scalar(let text, let isPlain): try addScalar(text, isPlain: isPlain, parser)
            case .listStart: try open(isMap: false, isFlow: false, parser)
            case .mapStart(let isFlow): try open(isMap: true, isFlow: isFlow, parser)
            case .end: close()
            case .alias(let name): try addAlias(name, parser)
            }
        }
    }

    private func place(_ mark: YAMLMark) -> ConfigPlace {
        ConfigPlace(file: file, line: mark.line + 1, column: mark.column + 1)
    }

    // MARK: Events

    private mutating func addScalar(
        _ text: String, isPlain: Bool, _ parser: borrowing YAMLParser
    ) throws(Stop) {
        try count(1, parser.start)
        let place = place(parser.start)
        if awaitsKey {
            let isMerge = isPlain && text == "<<"
            return frames[frames.count - 1].key = YAMLKey(
                name: text, place: place, end: parser.end.index, isMerge: isMerge, isValid: true)
        }
        let isMissing = text.isEmpty && isPlain && frames.last?.key?.end == parser.end.index
        // The meaning of a tag is not known, so nothing else can be said about the value.
        let value =
            parser.hasTag ? nil : scalar(text, isMissing ? .missing : isPlain ? .plain : .quoted, place)
        finish(YAMLNode(value.map { .scalar($0) } ?? .invalid, at: place), anchor: parser.anchor)
    }

    private mutating func open(isMap: Bool, isFlow: Bool, _ parser: borrowing YAMLParser) throws(Stop) {
        try count(1, parser.start)
        let isName = awaitsKey
        if isName { refuseKey(at: place(parser.start)) }
        guard frames.count < limits.levels else {
            throw .limit("more than \(limits.levels) levels of lists and mappings", parser.start)
        }
        frames.append(
            Frame(
                isMap: isMap, isFlow: isFlow, place: place(parser.start), anchor: parser.anchor,
                isName: isName))
    }

    private mutating func addAlias(_ name: String, _ parser: borrowing YAMLParser) throws(Stop) {
        let place = place(parser.start)
        if awaitsKey { return refuseKey(at: place) }
        guard let node = anchors[name] else {
            let isOpen = frames.contains { $0.anchor == name }
            problems.error(
                isOpen
                    ? "*\(name) stands inside its own anchor"
                    : "*\(name): there is no anchor \"\(name)\" above"
                        + Suggestion.text(for: name, among: anchorNames),
                at: place)
            return finish(YAMLNode(.invalid, at: place), anchor: nil)
        }
        try count(node.size, parser.start)
        guard frames.count + node.height <= limits.levels else {
            throw .limit(
                "more than \(limits.levels) levels of lists and mappings, with those of *\(name)",
                parser.start)
        }
        finish(node, anchor: nil)
    }

    private mutating func close() {
        guard let frame = frames.popLast(), !frame.isName else { return }
        if frame.isMap {
            let members = frame.members.resolved(problems)
            finish(
                YAMLNode(
                    .map(YAMLMap(members: members, isFlow: frame.isFlow)), at: frame.place,
                    size: 1 + members.reduce(0) { $0 + 1 + $1.value.size },
                    height: 1 + members.reduce(0) { max($0, $1.value.height) }), anchor: frame.anchor)
        } else {
            finish(
                YAMLNode(.list(frame.items), at: frame.place, size: frame.size, height: frame.height),
                anchor: frame.anchor)
        }
    }

    // MARK: Values

    private var awaitsKey: Bool {
        guard let frame = frames.last else { return false }
        return frame.isMap && frame.key == nil
    }

    private mutating func refuseKey(at place: ConfigPlace) {
        problems.error("a name is text, not a list, a mapping or an alias", at: place)
        frames[frames.count - 1].key = YAMLKey(
            name: "", place: place, end: -1, isMerge: false, isValid: false)
    }

    private mutating func count(_ nodes: Int, _ mark: YAMLMark) throws(Stop) {
        nodeCount += nodes
        if nodeCount > limits.nodes {
            throw .limit("more than \(limits.nodes) values, with each use of an anchor counted", mark)
        }
    }

    private mutating func finish(_ node: YAMLNode, anchor: String?) {
        if let anchor, anchors.updateValue(node, forKey: anchor) == nil { anchorNames.append(anchor) }
        guard let last = frames.indices.last else { return root = node }
        if frames[last].isMap {
            guard let key = frames[last].key else { return }
            frames[last].key = nil
            frames[last].members.add(key, node, problems)
        } else {
            frames[last].items.append(node)
            frames[last].size += node.size
            frames[last].height = max(frames[last].height, 1 + node.height)
        }
    }
}
