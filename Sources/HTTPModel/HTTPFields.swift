import ASCIIText

/// The fields of a message, in order, several of one name allowed (RFC 9110 5.3).
///
/// All of it lives in one array of bytes, `FieldStorage`: a parsed head shares it with the request target, and what was
/// appended stands in it as it will go out, `Name: value CRLF`.
public struct HTTPFields: Sendable {
    @usableFromInline package private(set) var storage: FieldStorage

    public init() {
        storage = FieldStorage()
    }

    /// For a parser: names are tokens, values have no control byte.
    package init(_ storage: consuming FieldStorage) {
        self.storage = storage
    }

    @inlinable public var count: Int { storage.count }
    @inlinable public var isEmpty: Bool { storage.count == 0 }
}

// MARK: - Bytes

extension HTTPFields {
    /// The index of the first field of that name at or after `start`.
    public func firstIndex(of name: HTTPFieldName, from start: Int = 0) -> Int? {
        name.withBytes { storage.firstIndex(of: $0, from: start) }
    }

    /// The name of the field at that index, in its own case. A slice of the storage, nothing is copied.
    public func nameBytes(at index: Int) -> ArraySlice<UInt8> { storage.bytes[storage.entry(index).name] }

    /// The value of the field at that index, without the blanks around it. A slice of the storage, nothing is copied.
    public func valueBytes(at index: Int) -> ArraySlice<UInt8> { storage.bytes[storage.entry(index).value] }

    /// The value of the first field of that name. A slice of the storage, nothing is copied.
    public func firstValueBytes(_ name: HTTPFieldName) -> ArraySlice<UInt8>? {
        firstIndex(of: name).map(valueBytes(at:))
    }

    /// Whether the field at that index is `Host` and has that value, in any case.
    package func isHost(at index: Int, _ value: borrowing [UInt8]) -> Bool {
        var isHost = false
        withValue(at: index, ifNamed: "host") { found in
            isHost = value.withUnsafeBytes { ASCII.equalsIgnoringCase(found, $0) }
        }
        return isHost
    }

    /// Calls `body` with the value of the field at that index, if there is one and it has that name: lower case, four bytes
    /// or more. Copies and retains nothing.
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
        precondition(name.count <= HTTPFieldName.maximumLength, "a field name has at most 256 bytes")
        storage.append(name: name, value: ASCII.trimmed(value))
    }

    /// Writes other bytes in the place of a value, as many as it has: none of them a control character, no blank at either
    /// end. For fields that are always the same but for some values of one length, as they cost no more than their copy.
    package mutating func overwrite(valueAt index: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        storage.overwrite(valueAt: index, write)
    }

    /// The same fields, known to be fit for the wire: a serializer copies them in one piece. For fields that many messages
    /// share. Any change but `overwrite` makes them fields like others again.
    ///
    /// - Precondition: names are tokens, values have no control characters, and none of the fields is one that a serializer
    ///   writes or that belongs to one connection.
    package func checked() -> HTTPFields {
        withEachField { name, value in
            precondition(!name.isEmpty && name.allSatisfy(ASCII.isTokenByte), "a field name is no token")
            precondition(value.allSatisfy { $0 >= 0x20 && $0 != 0x7f }, "a value has a control character")
            let isOwn = (["host", "content-length", "date", "expect"] as [StaticString]).contains {
                ASCII.equals(name, lowercase: $0)
            }
            precondition(!isOwn && !HopByHopFields.contains(name), "a field that a serializer writes")
        }
        // Anew, so that the text is these fields and nothing else.
        var fields = HTTPFields()
        fields.append(contentsOf: self)
        fields.storage.markChecked()
        return fields
    }

    /// Removes all fields of that name and says how many there were.
    @discardableResult
    public mutating func remove(_ name: HTTPFieldName) -> Int {
        name.withBytes { remove(named: $0) }
    }

    @discardableResult
    mutating func remove(named name: UnsafeRawBufferPointer) -> Int {
        remove { $0.count == name.count && ASCII.equalsIgnoringCase($0, name) }
    }

    @discardableResult
    mutating func remove(where isRemoved: (_ name: UnsafeRawBufferPointer) -> Bool) -> Int {
        let before = storage.count
        storage.remove(where: isRemoved)
        return before - storage.count
    }
}

extension HTTPFields {
    /// The content of the message that these fields were parsed with, where the parser put it behind them: so many bytes,
    /// the last of their storage.
    package func content(_ count: Int) -> ArraySlice<UInt8> {
        storage.bytes[(storage.bytes.count - count)...]
    }
}
