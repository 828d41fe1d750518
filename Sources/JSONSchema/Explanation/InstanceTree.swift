import ASCIIText
@_spi(Reading) import JSONBytes

/// A value with the places of values in it, for explanations, which look at values in any order. The parts of
/// a value are found when somebody asks for them.
struct InstanceTree {
    struct Value {
        let start: Int32
        /// The range of the name between its quotes.
        let nameStart: Int32
        let nameEnd: Int32
        /// The value around it; -1 for the outermost.
        let parent: Int32
        /// Its position among the parts of the value around it.
        let position: Int32
        let type: TypeSet
        /// Whether the name has an escape.
        let isEscaped: Bool
        /// The range of its parts in `values`; -1 before they are found.
        fileprivate(set) var firstPart: Int32 = -1
        fileprivate(set) var partEnd: Int32 = -1
    }

    private(set) var values: ContiguousArray<Value> = []
    let reader: ByteReader

    init(_ reader: ByteReader) {
        self.reader = reader
        append(at: 0, parent: -1, name: 0..<0, isEscaped: false, position: 0)
    }

    private mutating func append(
        at start: Int, parent: Int, name: Range<Int>, isEscaped: Bool, position: Int
    ) {
        var type = TypeSet(firstByte: reader[start])
        if type == .number {
            var end = start
            type = Decimal(reader, at: &end).isInteger ? .integer : .fraction
        }
        values.append(
            Value(
                start: Int32(truncatingIfNeeded: start),
                nameStart: Int32(truncatingIfNeeded: name.lowerBound),
                nameEnd: Int32(truncatingIfNeeded: name.upperBound),
                parent: Int32(truncatingIfNeeded: parent), position: Int32(truncatingIfNeeded: position),
                type: type, isEscaped: isEscaped))
    }

    /// The members or elements of a value, in order. `work` pays for finding them.
    mutating func parts(of value: Int, _ work: inout Int) -> Range<Int> {
        if values[value].firstPart >= 0 {
            return Int(values[value].firstPart)..<Int(values[value].partEnd)
        }
        let first = values.count
        let start = Int(values[value].start)
        var cursor = ValidCursor(reader, at: start)
        let isObject = reader[start] == Byte.openBrace
        if isObject || reader[start] == Byte.openBracket, cursor.enter() {
            repeat {
                let (name, isEscaped) = isObject ? cursor.name() : (0..<0, false)
                append(
                    at: cursor.index, parent: value, name: name, isEscaped: isEscaped,
                    position: values.count - first)
                cursor.skipValue()
            } while cursor.next()
        }
        work -= (cursor.index - start) >> 6
        values[value].firstPart = Int32(truncatingIfNeeded: first)
        values[value].partEnd = Int32(truncatingIfNeeded: values.count)
        return first..<values.count
    }

    /// The range of a member's name between its quotes.
    func nameRange(of value: Int) -> Range<Int> {
        Int(values[value].nameStart)..<Int(values[value].nameEnd)
    }

    /// The decoded name of a member.
    func name(of value: Int) -> [UInt8] { text(nameRange(of: value), values[value].isEscaped) }

    private func text(_ range: Range<Int>, _ isEscaped: Bool) -> [UInt8] {
        guard isEscaped else { return Array(reader.rawBytes(range)) }
        var text: [UInt8] = []
        EscapedText.append(range, of: reader, to: &text)
        return text
    }

    /// The decoded text of a string value.
    func text(of value: Int) -> [UInt8] {
        let start = Int(values[value].start)
        var cursor = ValidCursor(reader, at: start)
        let isEscaped = cursor.skipString()
        return text(start + 1..<cursor.index - 1, isEscaped)
    }

    /// The members and elements that lead to a value.
    func steps(to value: Int) -> [SchemaFault.Step] {
        var steps: [SchemaFault.Step] = []
        var value = value
        while values[value].parent >= 0 {
            let parent = Int(values[value].parent)
            steps.append(
                values[parent].type == .object
                    ? .member(String(decoding: name(of: value), as: UTF8.self))
                    : .element(Int(values[value].position)))
            value = parent
        }
        return steps.reversed()
    }

    /// The JSON Pointer of a value.
    func pointer(to value: Int) -> String {
        var names: [String] = []
        var value = value
        while values[value].parent >= 0 {
            let parent = Int(values[value].parent)
            names.append(
                values[parent].type == .object
                    ? String(decoding: name(of: value), as: UTF8.self) : "\(values[value].position)")
            value = parent
        }
        return JSONPointer(members: names.reversed()).description
    }
}
