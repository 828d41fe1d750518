import ASCIIText

/// The fields of a message in order. A name may occur more than once (RFC 9110 5.3).
///
/// All fields live in one array of bytes. A parsed head shares that array with its request target, and
/// appended fields are stored in wire form: `Name: value CRLF`.
public struct HTTPFields: Sendable {
    @usableFromInline package private(set) var storage: FieldStorage

    /// Creates an empty list.
    public init() {
        storage = FieldStorage()
    }

    /// - Parameters:
    ///   - room: how many fields to reserve memory for.
    ///   - capacity: bytes of text to reserve, 4 for each field besides its name and value.
    package init(room: Int, capacity: Int) {
        storage = FieldStorage(room: room, capacity: capacity)
    }

    /// For parsers.
    ///
    /// - Precondition: names are tokens, and values contain no control byte.
    package init(_ storage: consuming FieldStorage) {
        self.storage = storage
    }

    /// The number of fields, counting repeated ones.
    @inlinable public var count: Int { storage.count }
    /// Whether the list is empty.
    @inlinable public var isEmpty: Bool { storage.count == 0 }

    /// Bytes that hold at least the text of all fields.
    package var textSize: Int { storage.bytes.count &- storage.textStart }
}

// MARK: - Bytes

extension HTTPFields {
    /// Returns the index of the first field with that name at or after `start`.
    public func firstIndex(of name: HTTPFieldName, from start: Int = 0) -> Int? {
        name.withBytes { storage.firstIndex(of: $0, from: start) }
    }

    /// Returns the name of a field, in its own case, as a slice of the storage.
    public func nameBytes(at index: Int) -> ArraySlice<UInt8> { storage.bytes[storage.entry(index).name] }

    /// Returns the value of a field, without surrounding blanks, as a slice of the storage.
    public func valueBytes(at index: Int) -> ArraySlice<UInt8> { storage.bytes[storage.entry(index).value] }

    /// Returns the value of the first field with that name, as a slice of the storage.
    public func firstValueBytes(_ name: HTTPFieldName) -> ArraySlice<UInt8>? {
        firstIndex(of: name).map(valueBytes(at:))
    }

    /// Whether the field at that index is `Host` with that value, ignoring case.
    package func isHost(at index: Int, _ value: borrowing [UInt8]) -> Bool {
        var isHost = false
        withValue(at: index, ifNamed: "host") { found in
            isHost = value.withUnsafeBytes { ASCII.equalsIgnoringCase(found, $0) }
        }
        return isHost
    }

    /// Calls `body` with the value of the field at that index if it has that name. Copies and retains
    /// nothing.
    ///
    /// - Parameters:
    ///   - index: 0 or more.
    ///   - name: in lower case, at least four bytes.
    ///   - body: receives bytes that are valid during the call.
    @inline(__always)
    package func withValue(
        at index: Int, ifNamed name: StaticString, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        guard index < storage.count else { return }
        storage.bytes.withUnsafeBytes { bytes in
            let entry = storage.entry(index, in: bytes)
            guard ASCII.isText(UnsafeRawBufferPointer(rebasing: bytes[entry.name]), name) else { return }
            body(UnsafeRawBufferPointer(rebasing: bytes[entry.value]))
        }
    }

    /// Returns the values of all fields with that name, in order, as slices of the storage.
    public func valueBytes(of name: HTTPFieldName) -> [ArraySlice<UInt8>] {
        var values: [ArraySlice<UInt8>] = []
        var index = firstIndex(of: name)
        while let found = index {
            values.append(valueBytes(at: found))
            index = firstIndex(of: name, from: found + 1)
        }
        return values
    }

    /// Calls `body` with the name and value of each field in order. The bytes are valid during the call.
    public func withEachField(
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        storage.bytes.withUnsafeBytes { bytes in
            for index in 0..<storage.count {
                let entry = storage.entry(index, in: bytes)
                body(
                    UnsafeRawBufferPointer(rebasing: bytes[entry.name]),
                    UnsafeRawBufferPointer(rebasing: bytes[entry.value]))
            }
        }
    }
}

// MARK: - Text

extension HTTPFields {
    /// The value of the first field with that name. Setting it replaces that field and removes the others, or
    /// appends a field; nil removes all.
    ///
    /// Setting one of n fields takes the same time for every n, unless others are removed.
    public subscript(_ name: HTTPFieldName) -> String? {
        get { firstValueBytes(name).map { String(decoding: $0, as: UTF8.self) } }
        set {
            guard var newValue else {
                remove(name)
                return
            }
            name.withBytes { name in
                newValue.withUTF8 { set(name: name, value: UnsafeRawBufferPointer($0)) }
            }
        }
    }

    /// Returns the values of all fields with that name, in order.
    public func values(of name: HTTPFieldName) -> [String] {
        valueBytes(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether there is a field with this name.
    public func contains(_ name: HTTPFieldName) -> Bool { firstIndex(of: name) != nil }
}

// MARK: - Change

extension HTTPFields {
    /// Makes room for the text of fields that will be appended: 4 bytes for each besides its name and value.
    /// If the list is a copy, it becomes one of its own, with this room.
    package mutating func reserve(_ capacity: Int) { storage.reserve(capacity) }

    /// Adds a field behind the others, even if there is one with its name.
    public mutating func append(_ name: HTTPFieldName, _ value: String) {
        var value = value
        name.withBytes { name in
            value.withUTF8 { append(name: name, value: UnsafeRawBufferPointer($0)) }
        }
    }

    /// Adds a field with a value of bytes.
    public mutating func append(_ name: HTTPFieldName, bytes: ArraySlice<UInt8>) {
        name.withBytes { name in
            bytes.withUnsafeBytes { append(name: name, value: $0) }
        }
    }

    /// Adds the fields of another list.
    public mutating func append(contentsOf other: HTTPFields) {
        other.withEachField { name, value in append(name: name, value: value) }
    }

    /// Appends a field from bytes, without surrounding blanks in the value. The serializers refuse malformed
    /// fields.
    ///
    /// - Precondition: the name has at most 256 bytes.
    public mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        precondition(name.count <= HTTPFieldName.maximumLength, "a field name has at most 256 bytes")
        storage.append(name: name, value: ASCII.trimmed(value))
    }

    /// Appends a field that serializers need not check, and keeps the mark of `checked()`.
    ///
    /// - Precondition: as for `checked()`, and the value has no surrounding blanks.
    package mutating func append(checkedName name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let wasChecked = storage.isChecked
        storage.append(name: name, value: value)
        if wasChecked { storage.markChecked() }
    }

    private mutating func set(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        storage.makeFindable()
        guard let index = storage.firstIndex(of: name, from: 0) else {
            return append(name: name, value: value)
        }
        if let second = storage.firstIndex(of: name, from: index &+ 1) {
            storage.remove(from: second) { ASCII.equalsIgnoringCase($0, name) }
        }
        storage.replace(at: index, name: name, value: ASCII.trimmed(value))
    }

    /// Replaces a value by one of the same length, so that a message made from a template of fields costs one
    /// copy.
    ///
    /// - Precondition: `write` stores no control character and no leading or trailing blank.
    package mutating func overwrite(valueAt index: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        storage.overwrite(valueAt: index, write)
    }

    /// Returns the same fields marked as valid, so that a serializer copies them in one piece. For fields
    /// that many messages share. Any change except `overwrite` and `append(checkedName:value:)` removes the
    /// mark.
    ///
    /// - Precondition: names are tokens, values contain no control characters, and serializers skip none of
    ///   the fields.
    package func checked() -> HTTPFields {
        withEachField { name, value in
            precondition(!name.isEmpty && name.allSatisfy(ASCII.isTokenByte), "a field name is no token")
            precondition(!value.contains(where: ASCII.isControl), "a value has a control character")
            let isOwn = TransportFields.areInRequest(name) || ASCII.equals(name, lowercase: "date")
            precondition(!isOwn, "a field that a serializer writes")
        }
        // A fresh copy, because the text may still contain lines of removed fields.
        var fields = HTTPFields()
        fields.append(contentsOf: self)
        fields.storage.markChecked()
        return fields
    }

    /// Removes all fields with that name and returns their number.
    @discardableResult
    public mutating func remove(_ name: HTTPFieldName) -> Int {
        name.withBytes { remove(named: $0) }
    }

    /// Removes all fields whose names the other message has.
    package mutating func remove(allIn other: HTTPFields) {
        guard !isEmpty, !other.isEmpty else { return }
        // If one has few fields, a look at each pair is the fastest.
        guard Swift.min(count, other.count) > 16, !other.storage.isIndexed else {
            storage.remove { other.storage.firstIndex(of: $0, from: 0) != nil }
            return
        }
        var names: Set<HTTPFieldName> = []
        other.forEachNamed { name, _ in names.insert(name) }
        storage.remove { name in HTTPFieldName(bytes: name).map(names.contains) ?? false }
    }

    @discardableResult
    mutating func remove(named name: UnsafeRawBufferPointer) -> Int {
        // Most often it is absent.
        guard let first = storage.firstIndex(of: name, from: 0) else { return 0 }
        let before = storage.count
        storage.remove(from: first) { ASCII.equalsIgnoringCase($0, name) }
        return before - storage.count
    }

    @discardableResult
    package mutating func remove(where isRemoved: (_ name: UnsafeRawBufferPointer) -> Bool) -> Int {
        let before = storage.count
        storage.remove(where: isRemoved)
        return before - storage.count
    }
}

extension HTTPFields {
    /// Returns the message's content if the parser stored it after the fields: the last `count` bytes of the
    /// storage.
    package func content(_ count: Int) -> ArraySlice<UInt8> {
        storage.bytes[(storage.bytes.count - count)...]
    }
}
