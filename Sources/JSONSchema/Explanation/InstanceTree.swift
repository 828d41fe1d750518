import ASCIIText
@_spi(Reading) import JSONBytes

/// A value with the places of all values in it, for explanations, which look at values in any order.
struct InstanceTree {
    struct Value {
        let start: Int
        let type: TypeSet
        /// The value around it; -1 for the outermost.
        let parent: Int
        /// The name between its quotes, and whether it has an escape; its position in an array.
        let name: Range<Int>
        let isEscaped: Bool
        let position: Int
        fileprivate(set) var children: [Int] = []
    }

    private(set) var values: [Value] = []
    let reader: ByteReader

    init(_ reader: ByteReader) {
        self.reader = reader
        var cursor = ValidCursor(reader)
        append(&cursor, parent: -1, name: 0..<0, isEscaped: false, position: 0)
    }

    @discardableResult
    private mutating func append(
        _ cursor: inout ValidCursor, parent: Int, name: Range<Int>, isEscaped: Bool, position: Int
    ) -> Int {
        let index = values.count
        let start = cursor.index
        let first = reader[start]
        var type = TypeSet(firstByte: first)
        if type == .number {
            var end = start
            type = Decimal(reader, at: &end).isInteger ? .integer : .fraction
        }
        values.append(
            Value(
                start: start, type: type, parent: parent, name: name, isEscaped: isEscaped, position: position
            ))
        var children: [Int] = []
        switch first {
        case Byte.openBrace:
            if cursor.enter() {
                repeat {
                    let (name, isEscaped) = cursor.name()
                    children.append(
                        append(
                            &cursor, parent: index, name: name, isEscaped: isEscaped, position: children.count
                        ))
                } while cursor.next()
            }
            cursor.index &+= 1
        case Byte.openBracket:
            if cursor.enter() {
                repeat {
                    children.append(
                        append(
                            &cursor, parent: index, name: 0..<0, isEscaped: false, position: children.count))
                } while cursor.next()
            }
            cursor.index &+= 1
        default: cursor.skipValue()
        }
        values[index].children = children
        return index
    }

    /// The decoded name of a member.
    func name(of value: Int) -> [UInt8] { text(values[value].name, values[value].isEscaped) }

    func text(_ range: Range<Int>, _ isEscaped: Bool) -> [UInt8] {
        guard isEscaped else { return Array(reader.rawBytes(range)) }
        var text: [UInt8] = []
        EscapedText.append(range, of: reader, to: &text)
        return text
    }

    /// The decoded text of a string value.
    func text(of value: Int) -> [UInt8] {
        var cursor = ValidCursor(reader, at: values[value].start)
        let isEscaped = cursor.skipString()
        return text(values[value].start + 1..<cursor.index - 1, isEscaped)
    }

    /// The JSON Pointer of a value.
    func pointer(to value: Int) -> String {
        var names: [String] = []
        var value = value
        while values[value].parent >= 0 {
            let isMember = values[values[value].parent].type == .object
            names.append(
                isMember ? String(decoding: name(of: value), as: UTF8.self) : "\(values[value].position)")
            value = values[value].parent
        }
        return JSONPointer(members: names.reversed()).description
    }
}
