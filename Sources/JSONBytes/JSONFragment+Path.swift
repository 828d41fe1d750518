import ASCIIText

/// A step from a value to values in it.
package enum JSONPathStep: Sendable, Hashable {
    /// A member of an object, by the name's UTF-8. The last of repeated names counts.
    case name([UInt8])
    /// An element of an array, from 0.
    case index(Int)
    /// All elements of an array, or all values of an object.
    case all

    /// The name of a member; nil for elements.
    package var name: String? {
        if case .name(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
}

extension JSONFragment {
    /// Returns the value at the end of a path, if any. What `.all` selects becomes an array, without the
    /// elements that have nothing at the rest of the path. `.all` of null is null.
    ///
    /// Each value is read once for each step. An array is written while it is read, without a list of its
    /// elements.
    package func value(at path: ArraySlice<JSONPathStep>) -> JSONFragment? {
        guard !path.isEmpty else { return self }
        let all = path.firstIndex(of: .all) ?? path.endIndex
        let start = bytes.startIndex
        return ByteReader.read(bytes) { reader -> JSONFragment? in
            let selection = Selection(reader: reader)
            guard let place = selection.place(path[..<all], from: 0) else { return nil }
            var cursor = ValidCursor(reader, at: place)
            let isNull = reader[place] == Byte.n
            if all == path.endIndex || isNull {
                let range = cursor.value()
                return JSONFragment(valid: bytes[start &+ range.lowerBound..<start &+ range.upperBound])
            }
            guard reader[place] == Byte.openBracket || reader[place] == Byte.openBrace else { return nil }
            var line = JSONLine(capacity: 4096)
            line.constant("[")
            selection.write(path[all...], at: &cursor, to: &line)
            line.constant("]")
            return JSONFragment(valid: [UInt8](line.bytes)[...])
        }
    }
}

/// Finds values by the steps of a path.
private struct Selection {
    let reader: ByteReader

    /// Returns where the steps, none of which is `.all`, lead from the value at `index`.
    func place(_ steps: ArraySlice<JSONPathStep>, from index: Int) -> Int? {
        var index = index
        for step in steps {
            var cursor = ValidCursor(reader, at: index)
            guard let range = find(step, &cursor) else { return nil }
            index = range.lowerBound
        }
        return index
    }

    private func find(_ step: JSONPathStep, _ cursor: inout ValidCursor) -> Range<Int>? {
        switch step {
        case .name(let name): cursor.member(name)
        case .index(let number): cursor.element(number)
        case .all: nil
        }
    }

    /// Writes what the steps, the first of which is `.all`, lead to from the value at the cursor. Moves the
    /// cursor past the value.
    func write(_ steps: ArraySlice<JSONPathStep>, at cursor: inout ValidCursor, to line: inout JSONLine) {
        let rest = steps.dropFirst()
        let all = rest.firstIndex(of: .all) ?? rest.endIndex
        let isObject = reader[cursor.index] == Byte.openBrace
        guard isObject || reader[cursor.index] == Byte.openBracket else { return cursor.skipValue() }
        if cursor.enter() {
            repeat {
                if isObject { _ = cursor.name() }
                guard let place = place(rest[..<all], fromValueAt: &cursor) else { continue }
                var found = ValidCursor(reader, at: place)
                if all < rest.endIndex {
                    write(rest[all...], at: &found, to: &line)
                } else {
                    if line.length > 1 { line.constant(",") }
                    line.plain(reader.bytes(found.value()))
                }
            } while cursor.next()
        }
        cursor.index &+= 1
    }

    /// Returns where the steps lead from the value at the cursor, and moves the cursor past that value.
    private func place(
        _ steps: ArraySlice<JSONPathStep>, fromValueAt cursor: inout ValidCursor
    ) -> Int? {
        // A member is found at the end of its object, so the object need not be read again.
        if case .name(let name)? = steps.first, reader[cursor.index] == Byte.openBrace {
            let member = cursor.member(name)
            cursor.index &+= 1
            return member.flatMap { place(steps.dropFirst(), from: $0.lowerBound) }
        }
        let start = cursor.index
        cursor.skipValue()
        return place(steps, from: start)
    }
}
