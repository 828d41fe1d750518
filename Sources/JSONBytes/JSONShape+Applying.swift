import ASCIIText

extension JSONShape {
    /// Returns the shaped value. `null` stays `null`.
    ///
    /// - Throws: `JSONShapeError.unexpectedKind` for a number, a string or a boolean where members are to be
    ///   kept, because `keep` is an allow list.
    func apply(to fragment: JSONFragment) throws(JSONShapeError) -> JSONFragment {
        guard !fragment.isNull, !root.rules.isEmpty || root.keepsOnlyNamed else { return fragment }
        return try ByteReader.read(fragment.bytes) { reader throws(JSONShapeError) in
            var line = JSONLine(capacity: min(fragment.bytes.count, 4096))
            var shaping = Shaping(reader)
            try shaping.value(root, keepsAll: false, to: &line)
            return JSONFragment(valid: [UInt8](line.bytes)[...])
        }
    }
}

/// Writes a value with the changes of a shape.
private struct Shaping {
    private let reader: ByteReader
    private var cursor: ValidCursor

    init(_ reader: ByteReader) {
        self.reader = reader
        cursor = ValidCursor(reader)
    }

    /// - Parameter keepsAll: whether a member above is kept as a whole.
    mutating func value(
        _ level: JSONShape.Level, keepsAll: Bool, to line: inout JSONLine
    ) throws(JSONShapeError) {
        switch reader[cursor.index] {
        case Byte.openBrace: try object(level, keepsAll: keepsAll, to: &line)
        case Byte.openBracket: try array(level, keepsAll: keepsAll, to: &line)
        case Byte.n: copyValue(to: &line)
        default:
            guard !level.keepsOnlyNamed || keepsAll else { throw .unexpectedKind }
            copyValue(to: &line)
        }
    }

    private mutating func array(
        _ level: JSONShape.Level, keepsAll: Bool, to line: inout JSONLine
    ) throws(JSONShapeError) {
        line.constant("[")
        if cursor.enter() {
            try value(level, keepsAll: keepsAll, to: &line)
            while cursor.next() {
                line.constant(",")
                try value(level, keepsAll: keepsAll, to: &line)
            }
        }
        cursor.index &+= 1
        line.constant("]")
    }

    private mutating func object(
        _ level: JSONShape.Level, keepsAll: Bool, to line: inout JSONLine
    ) throws(JSONShapeError) {
        let start = cursor.index
        let keepsOnlyNamed = level.keepsOnlyNamed && !keepsAll
        var isFirst = true
        // An object may have a name a million times: each member that takes such a name is looked for once.
        var areThere: [Bool?] = level.renames ? Array(repeating: nil, count: level.rules.count) : []
        line.constant("{")
        if cursor.enter() {
            repeat {
                let (name, isEscaped) = cursor.name()
                let rule = level.rules.first { isEqual(name, isEscaped, $0.name) }
                guard passes(rule, keepsOnlyNamed),
                    rule?.newName != nil || !level.renames
                        || !isReplaced(name, isEscaped, level, keepsOnlyNamed, inObjectAt: start, &areThere)
                else {
                    cursor.skipValue()
                    continue
                }
                if !isFirst { line.constant(",") }
                isFirst = false
                if let newName = rule?.newName {
                    newName.withUnsafeBufferPointer { line.string(utf8: $0) }
                } else {
                    copy(name.lowerBound - 1..<name.upperBound + 1, to: &line)
                }
                line.constant(":")
                if let rule, let below = rule.below {
                    try value(below, keepsAll: keepsAll || rule.isKept, to: &line)
                } else {
                    copyValue(to: &line)
                }
            } while cursor.next()
        }
        cursor.index &+= 1
        line.constant("}")
    }

    private func passes(_ rule: JSONShape.Rule?, _ keepsOnlyNamed: Bool) -> Bool {
        guard let rule else { return !keepsOnlyNamed }
        return !rule.isDropped && (!keepsOnlyNamed || rule.isNamed)
    }

    /// Whether another member of the object gets the name of this one.
    ///
    /// - Parameter areThere: for each rule whether the object has its member; nil before that is known.
    private func isReplaced(
        _ name: Range<Int>, _ isEscaped: Bool, _ level: JSONShape.Level, _ keepsOnlyNamed: Bool,
        inObjectAt start: Int, _ areThere: inout [Bool?]
    ) -> Bool {
        for (index, rule) in level.rules.enumerated() {
            guard let newName = rule.newName, isEqual(name, isEscaped, newName),
                passes(rule, keepsOnlyNamed)
            else { continue }
            var object = ValidCursor(reader, at: start)
            let isThere = areThere[index] ?? (object.member(rule.name) != nil)
            areThere[index] = isThere
            if isThere { return true }
        }
        return false
    }

    private func isEqual(_ name: Range<Int>, _ isEscaped: Bool, _ other: [UInt8]) -> Bool {
        guard isEscaped else { return reader.equals(name, other) }
        var decoded: [UInt8] = []
        EscapedText.append(name, of: reader, to: &decoded)
        return decoded == other
    }

    private mutating func copyValue(to line: inout JSONLine) {
        copy(cursor.value(), to: &line)
    }

    private func copy(_ range: Range<Int>, to line: inout JSONLine) {
        line.plain(reader.bytes(range))
    }
}
