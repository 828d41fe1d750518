/// The operations leave `null` as it is: an answer without content has no members.
extension JSONFragment {
    /// Returns the value at a JSON Pointer, as a slice of the same bytes.
    ///
    /// - Parameters:
    ///   - pointer: the place of the value.
    ///   - kind: the required kind of value; nil for any.
    /// - Throws: `JSONShapeError` if nothing is there, or a value of another kind.
    public func pick(_ pointer: JSONPointer, as kind: Kind? = nil) throws(JSONShapeError) -> JSONFragment {
        if isNull { return self }
        guard let found = value(at: pointer) else { throw .missing(pointer) }
        guard kind == nil || found.kind == kind else { throw .unexpectedKind }
        return found
    }

    /// Returns the value with only these members, in an array of each object. A missing member stays missing.
    ///
    /// - Throws: `JSONShapeError` for a value without members: this list lets nothing else through.
    public func keep(_ paths: JSONMemberPath...) throws(JSONShapeError) -> JSONFragment {
        try shape(JSONShape().keep(paths))
    }

    /// Returns the value without these members, in an array of each object.
    public func drop(_ paths: JSONMemberPath...) throws(JSONShapeError) -> JSONFragment {
        try shape(JSONShape().drop(paths))
    }

    /// Returns the value with other names for some members, in an array of each object. If both names are
    /// there, the renamed member takes the place of the other one.
    ///
    /// - Precondition: No two members of an object get the same name.
    public func rename(_ names: KeyValuePairs<JSONMemberPath, String>) throws(JSONShapeError) -> JSONFragment
    {
        try shape(JSONShape().rename(names))
    }

    /// Returns the value with the members that a shape lets through, under the shape's names.
    ///
    /// - Throws: `JSONShapeError` if there is a value without members where the shape keeps some.
    public func shape(_ shape: JSONShape) throws(JSONShapeError) -> JSONFragment { try shape.apply(to: self) }

    /// Returns an object with the members of both: the members of `other` follow, and replace members with
    /// the same names.
    ///
    /// - Throws: `JSONShapeError` if one of the two is neither an object nor `null`.
    public func join(_ other: JSONFragment) throws(JSONShapeError) -> JSONFragment {
        for fragment in [self, other] where fragment.kind != .object && !fragment.isNull {
            throw .unexpectedKind
        }
        if other.isNull { return self }
        if isNull { return other }
        var line = JSONLine(capacity: bytes.count + other.bytes.count)
        let names = Set(other.namesAndRanges.map(\.name))
        line.constant("{")
        append(to: &line) { !names.contains($0) }
        other.append(to: &line) { _ in true }
        line.constant("}")
        return JSONFragment(valid: [UInt8](line.bytes)[...])
    }

    /// Appends the members with such names, byte for byte but for the white space between them.
    private func append(to line: inout JSONLine, where isIncluded: ([UInt8]) -> Bool) {
        for (name, written, value) in namesAndRanges where isIncluded(name) {
            // After the opening brace.
            if line.length > 1 { line.constant(",") }
            line.fragment(JSONFragment(valid: bytes[written]))
            line.constant(":")
            line.fragment(JSONFragment(valid: bytes[value]))
        }
    }

    /// Appends the members of an object, for another object. Other values have none.
    ///
    /// - Parameters:
    ///   - line: the text of the other object.
    ///   - shared: takes long values.
    ///   - isFirst: whether the other object has no member yet.
    ///   - names: members with these names are left out.
    @_spi(Lines)
    public func writeMembers(
        to line: inout JSONLine, _ shared: inout SharedFragments, isFirst: inout Bool,
        without names: Set<[UInt8]>
    ) {
        guard kind == .object else { return }
        let start = bytes.startIndex
        ByteReader.read(bytes) { reader in
            var cursor = ValidCursor(reader)
            guard cursor.enter() else { return }
            repeat {
                let (name, isEscaped) = cursor.name()
                let value = cursor.value()
                if !names.isEmpty, names.contains(reader.decoded(name, isEscaped: isEscaped)) { continue }
                if !isFirst { line.constant(",") }
                isFirst = false
                line.plain(reader.bytes(name.lowerBound - 1..<name.upperBound + 1))
                line.constant(":")
                let range = start + value.lowerBound..<start + value.upperBound
                shared.write(JSONFragment(valid: bytes[range]), to: &line)
            } while cursor.next()
        }
    }

    /// The decoded names of an object's members; none for other kinds.
    @_spi(Lines)
    public var memberNames: [[UInt8]] {
        guard kind == .object else { return [] }
        return namesAndRanges.map(\.name)
    }

    /// The members of an object, with the decoded name and where name and value are written.
    private var namesAndRanges: [(name: [UInt8], written: Range<Int>, value: Range<Int>)] {
        let start = bytes.startIndex
        return ByteReader.read(bytes) { reader in
            var cursor = ValidCursor(reader)
            var members: [(name: [UInt8], written: Range<Int>, value: Range<Int>)] = []
            guard cursor.enter() else { return members }
            repeat {
                let (range, isEscaped) = cursor.name()
                let value = cursor.value()
                let name = reader.decoded(range, isEscaped: isEscaped)
                let written = start + range.lowerBound - 1..<start + range.upperBound + 1
                members.append((name, written, start + value.lowerBound..<start + value.upperBound))
            } while cursor.next()
            return members
        }
    }
}

extension ByteReader {
    /// Returns the UTF-8 of a string's content.
    fileprivate func decoded(_ range: Range<Int>, isEscaped: Bool) -> [UInt8] {
        guard isEscaped else { return Array(bytes(range)) }
        var text: [UInt8] = []
        EscapedText.append(range, of: self, to: &text)
        return text
    }
}
