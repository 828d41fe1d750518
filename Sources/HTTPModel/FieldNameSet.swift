import ASCIIText

/// Field names to choose the fields of a message by.
///
/// An open hash table of their lengths and their first and last bytes, so that most names are told apart by
/// one look.
package struct FieldNameSet: Sendable {
    /// In lower case, one behind the other.
    private var text: [UInt8] = []
    private var ranges: [Range<UInt32>] = []
    /// A name's number plus 1, or 0 for none. A power of two, and at most half full.
    private var slots: [UInt32]

    package init(_ names: some Sequence<HTTPFieldName>) {
        let known = Set(names)
        var size = 64
        while size < 2 * known.count { size *= 2 }
        slots = [UInt32](repeating: 0, count: size)
        for name in known {
            let bytes = name.withBytes { $0.map(ASCII.lowercased) }
            ranges.append(UInt32(text.count)..<UInt32(text.count + bytes.count))
            text += bytes
            var slot = bytes.withUnsafeBytes { Self.hash($0) } & (size - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = UInt32(ranges.count)
        }
    }

    /// - Precondition: the name is not empty.
    @inline(__always)
    private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
        let first = Int(name[0] | 0x20)
        let last = Int(name[name.count &- 1] | 0x20)
        return name.count &* 7 &+ first &* 3 &+ last
    }

    package func contains(_ name: UnsafeRawBufferPointer) -> Bool {
        guard !name.isEmpty else { return false }
        let mask = slots.count &- 1
        var slot = Self.hash(name) & mask
        while slots[slot] != 0 {
            let range = ranges[Int(slots[slot]) &- 1]
            if range.count == name.count, isSame(range, name) { return true }
            slot = (slot &+ 1) & mask
        }
        return false
    }

    @inline(__always)
    private func isSame(_ range: Range<UInt32>, _ name: UnsafeRawBufferPointer) -> Bool {
        text.withUnsafeBytes { text in
            let start = Int(range.lowerBound)
            return ASCII.equalsIgnoringCase(
                UnsafeRawBufferPointer(rebasing: text[start..<start &+ name.count]), name)
        }
    }

    package func contains(_ name: HTTPFieldName) -> Bool { name.withBytes(contains) }
}

extension HTTPFields {
    /// Appends the other message's end-to-end fields whose names are in the set, in their order: none that
    /// its `Connection` names.
    ///
    /// - Parameter names: none of the fixed list of hop-by-hop fields.
    package mutating func append(contentsOf other: HTTPFields, in names: FieldNameSet) {
        guard other.namesFieldsInConnection else { return appendAll(of: other, in: names) }
        var endToEnd = other
        endToEnd.removeHopByHop()
        appendAll(of: endToEnd, in: names)
    }

    private mutating func appendAll(of other: HTTPFields, in names: FieldNameSet) {
        other.withEachField { name, value in
            if names.contains(name) { append(name: name, value: value) }
        }
    }

    /// Whether `Connection` names fields outside the fixed list, which is rare.
    private var namesFieldsInConnection: Bool {
        guard let first = firstIndex(of: .connection) else { return false }
        var names = false
        var next: Int? = first
        while let index = next {
            valueBytes(at: index).withUnsafeBytes { value in
                if ASCII.equals(value, lowercase: "keep-alive") { return }
                forEachListElement(in: value) { option in
                    if !HopByHopFields.contains(option), !ASCII.equals(option, lowercase: "close") {
                        names = true
                    }
                }
            }
            next = firstIndex(of: .connection, from: index + 1)
        }
        return names
    }
}
