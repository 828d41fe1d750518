/// The fields of a message, in order, several of one name allowed (RFC 9110 5.3).
///
/// All text lives in one block of bytes; an entry only says where. A parsed head shares its block with the
/// request target, and what was appended stands in the block as it will go out: `Name: value CRLF`.
public struct HTTPFields: Sendable {
    /// Where one field stands in the block.
    @frozen
    public struct Entry: Sendable {
        @usableFromInline package var nameStart: UInt32
        @usableFromInline package var valueStart: UInt32
        @usableFromInline package var valueCount: UInt32
        @usableFromInline package var nameCount: UInt16

        @inlinable
        package init(nameStart: Int, nameCount: Int, valueStart: Int, valueCount: Int) {
            self.nameStart = UInt32(truncatingIfNeeded: nameStart)
            self.nameCount = UInt16(truncatingIfNeeded: nameCount)
            self.valueStart = UInt32(truncatingIfNeeded: valueStart)
            self.valueCount = UInt32(truncatingIfNeeded: valueCount)
        }

        @inlinable package var name: Range<Int> {
            Int(nameStart)..<Int(nameStart) &+ Int(nameCount)
        }
        @inlinable package var value: Range<Int> {
            Int(valueStart)..<Int(valueStart) &+ Int(valueCount)
        }
    }

    @usableFromInline package var block: [UInt8]
    @usableFromInline package var entries: [Entry]

    public init() {
        block = []
        entries = []
    }

    /// For a parser: the entries point into the block, names are tokens, values have no control byte.
    @inlinable
    package init(block: [UInt8], entries: [Entry]) {
        self.block = block
        self.entries = entries
    }

    @inlinable
    public var count: Int { entries.count }
    @inlinable
    public var isEmpty: Bool { entries.isEmpty }
}

// MARK: - Bytes

extension HTTPFields {
    /// The index of the first field of that name at or after `start`.
    public func firstIndex(of name: HTTPFieldName, from start: Int = 0) -> Int? {
        name.withBytes { wanted in
            block.withUnsafeBytes { bytes in
                var index = start
                while index < entries.count {
                    let entry = entries[index]
                    if Int(entry.nameCount) == wanted.count,
                        ASCII.equalsIgnoringCase(UnsafeRawBufferPointer(rebasing: bytes[entry.name]), wanted)
                    {
                        return index
                    }
                    index += 1
                }
                return nil
            }
        }
    }

    /// The name of the field at that index, in its own case. A slice of the block, nothing is copied.
    public func nameBytes(at index: Int) -> ArraySlice<UInt8> { block[entries[index].name] }

    /// The value of the field at that index, without the blanks around it. A slice of the block, nothing is copied.
    public func valueBytes(at index: Int) -> ArraySlice<UInt8> { block[entries[index].value] }

    /// The value of the first field of that name. A slice of the block, nothing is copied.
    public func firstValueBytes(_ name: HTTPFieldName) -> ArraySlice<UInt8>? {
        firstIndex(of: name).map(valueBytes(at:))
    }

    /// The values of all fields of that name, in order.
    public func valueBytes(of name: HTTPFieldName) -> [ArraySlice<UInt8>] {
        var values: [ArraySlice<UInt8>] = []
        var index = firstIndex(of: name)
        while let found = index {
            values.append(valueBytes(at: found))
            index = firstIndex(of: name, from: found + 1)
        }
        return values
    }

    /// Calls `body` with name and value of each field, in order; the bytes are valid during the call only.
    @inlinable
    public func withEachField(
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        block.withUnsafeBytes { bytes in
            for entry in entries {
                body(
                    UnsafeRawBufferPointer(rebasing: bytes[entry.name]),
                    UnsafeRawBufferPointer(rebasing: bytes[entry.value]))
            }
        }
    }
}

// MARK: - Text

extension HTTPFields {
    /// The value of the first field of that name; setting replaces all of them by one, or by none for nil.
    public subscript(_ name: HTTPFieldName) -> String? {
        get { firstValueBytes(name).map { String(decoding: $0, as: UTF8.self) } }
        set {
            remove(name)
            if let newValue { append(name, newValue) }
        }
    }

    /// The values of all fields of that name, in order.
    public func values(of name: HTTPFieldName) -> [String] {
        valueBytes(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    public func contains(_ name: HTTPFieldName) -> Bool { firstIndex(of: name) != nil }
}

// MARK: - Change

extension HTTPFields {
    public mutating func append(_ name: HTTPFieldName, _ value: String) {
        var value = value
        name.withBytes { name in
            value.withUTF8 { append(name: name, value: UnsafeRawBufferPointer($0)) }
        }
    }

    public mutating func append(_ name: HTTPFieldName, bytes: ArraySlice<UInt8>) {
        name.withBytes { name in
            bytes.withUnsafeBytes { append(name: name, value: $0) }
        }
    }

    /// Appends all fields of another set, in order.
    public mutating func append(contentsOf other: HTTPFields) {
        other.withEachField { name, value in append(name: name, value: value) }
    }

    /// Appends a field from bytes. Blanks around the value are no part of it. The serializer refuses what is no
    /// field, so that nothing malformed reaches the wire.
    public mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let value = ASCII.trimmed(value)
        precondition(name.count <= HTTPFieldName.maximumLength, "a field name has at most 256 bytes")
        precondition(block.count + name.count + value.count < Int(UInt32.max), "4 GiB of fields")
        let start = block.count
        let length = name.count + value.count + 4
        // Room for what most messages have.
        if start == 0 { entries.reserveCapacity(8) }
        block.append(addingCapacity: start == 0 ? Swift.max(256, length) : length) { span in
            // Sound: `length` bytes are written of at least as many, in order and without a gap.
            span.withUnsafeMutableBufferPointer { line, written in
                let line = UnsafeMutableRawBufferPointer(line)
                line.copyMemory(from: name)
                line[name.count] = 0x3a
                line[name.count + 1] = 0x20
                UnsafeMutableRawBufferPointer(rebasing: line[(name.count + 2)...]).copyMemory(from: value)
                line[length - 2] = 0x0d
                line[length - 1] = 0x0a
                written = length
            }
        }
        entries.append(
            Entry(
                nameStart: start, nameCount: name.count, valueStart: start + name.count + 2,
                valueCount: value.count))
    }

    /// Writes other bytes in the place of a value, as many as it has: none of them a control character, no blank at either
    /// end. For fields that are always the same but for some values of one length, as they cost no more than their copy.
    package mutating func overwrite(valueAt index: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        let value = entries[index].value
        block.withUnsafeMutableBytes { write(UnsafeMutableRawBufferPointer(rebasing: $0[value])) }
    }

    /// Removes all fields of that name and says how many there were.
    @discardableResult
    public mutating func remove(_ name: HTTPFieldName) -> Int {
        name.withBytes { remove(named: $0) }
    }

    @discardableResult
    mutating func remove(named name: UnsafeRawBufferPointer) -> Int {
        let before = entries.count
        guard before > 0 else { return 0 }
        let block = self.block
        block.withUnsafeBytes { bytes in
            entries.removeAll { entry in
                Int(entry.nameCount) == name.count
                    && ASCII.equalsIgnoringCase(UnsafeRawBufferPointer(rebasing: bytes[entry.name]), name)
            }
        }
        return before - entries.count
    }
}
