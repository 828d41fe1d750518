import ASCIIText

/// The fields of a message in one array: one entry per field, room for more entries, then the text. With room
/// for many entries, a `FieldIndex` stands between them and the text.
///
/// Sound: entries are accessed unchecked. `room` entries fit before the text, `count` of them are written,
/// and only this file writes them. The ranges in entries are checked where they are used.
@usableFromInline
package struct FieldStorage: Sendable {
    /// The place of one field in the array.
    @frozen @usableFromInline
    package struct Entry: Sendable, BitwiseCopyable {
        @usableFromInline package var nameStart: UInt32
        @usableFromInline package var nameCount: UInt32
        @usableFromInline package var valueStart: UInt32
        @usableFromInline package var valueCount: UInt32

        @inlinable @inline(__always)
        package init(from start: Int, nameEnd: Int, valueStart: Int, to end: Int) {
            nameStart = UInt32(truncatingIfNeeded: start)
            nameCount = UInt32(truncatingIfNeeded: nameEnd &- start)
            self.valueStart = UInt32(truncatingIfNeeded: valueStart)
            valueCount = UInt32(truncatingIfNeeded: end &- valueStart)
        }

        @inlinable @inline(__always)
        package var name: Range<Int> { Int(nameStart)..<Int(nameStart) &+ Int(nameCount) }

        @inlinable @inline(__always)
        package var value: Range<Int> { Int(valueStart)..<Int(valueStart) &+ Int(valueCount) }

        /// Returns the entry for text that was moved back by `distance` bytes.
        @inline(__always)
        func moved(by distance: Int) -> Entry {
            var entry = self
            entry.nameStart &+= UInt32(truncatingIfNeeded: distance)
            entry.valueStart &+= UInt32(truncatingIfNeeded: distance)
            return entry
        }
    }

    @usableFromInline package private(set) var bytes: [UInt8] = []
    @usableFromInline package private(set) var entryCount: UInt32 = 0
    private var room: UInt32 = 0
    /// `nameLengths` in the lower half, two facts above. Messages are copied often, each stored property one
    /// by one, so there are few.
    @usableFromInline var marks: UInt64 = 0

    /// The lengths of all names, one bit each, so that most lookups of a name that is not there read no
    /// entry. Removed fields keep their bits.
    private var nameLengths: UInt32 {
        get { UInt32(truncatingIfNeeded: marks) }
        set { marks = marks & ~UInt64(UInt32.max) | UInt64(newValue) }
    }

    /// Whether the text consists of complete, valid lines that a serializer may copy (`HTTPFields.checked`).
    @inlinable
    package private(set) var isChecked: Bool {
        get { marks & 1 << 32 != 0 }
        set { marks = newValue ? marks | 1 << 32 : marks & ~(1 << 32) }
    }

    /// Whether names are found by the index. Removing a field ends that, until the index is made again.
    private(set) var isIndexed: Bool {
        get { marks & 1 << 33 != 0 }
        set { marks = newValue ? marks | 1 << 33 : marks & ~(1 << 33) }
    }

    package init() {}

    /// Reserves memory for `room` fields with `capacity` bytes of text.
    package init(room: Int, capacity: Int) {
        self.init(text: UnsafeRawBufferPointer(start: nil, count: 0), room: room, capacity: capacity) {
            place, textStart in
            place.initializeMemory(as: UInt8.self, repeating: 0, count: textStart)
        }
        makeFindable()
    }

    /// Copies a parsed head, optionally with the content after it.
    ///
    /// - Parameters:
    ///   - head: the head's bytes.
    ///   - entries: the positions of the fields, counted from the first byte of `head`.
    ///   - count: the number of fields in `entries`.
    package init(head: UnsafeRawBufferPointer, entries: borrowing [Entry], count: Int) {
        var nameLengths: UInt32 = 0
        self.init(text: head, room: count, capacity: 0) { place, textStart in
            for index in 0..<count {
                let entry = entries[index]
                nameLengths |= Self.bit(ofLength: entry.nameCount)
                place.storeBytes(
                    of: entry.moved(by: textStart), toByteOffset: index &* Self.stride, as: Entry.self)
            }
        }
        self.nameLengths = nameLengths
        entryCount = room
        makeFindable()
    }

    /// - Parameters:
    ///   - text: the bytes to copy.
    ///   - room: how many entries fit before the text.
    ///   - capacity: bytes to reserve after the text.
    ///   - writeEntries: writes at most `room` entries at `place`.
    @inline(__always)
    private init(
        text: UnsafeRawBufferPointer, room: Int, capacity: Int,
        _ writeEntries: (_ place: UnsafeMutableRawPointer, _ textStart: Int) -> Void
    ) {
        let textStart = Self.textStart(room: room)
        precondition(textStart &+ text.count &+ capacity < Int(UInt32.max), "4 GiB of fields")
        self.room = UInt32(truncatingIfNeeded: room)
        bytes.reserveCapacity(textStart &+ text.count &+ capacity)
        bytes.append(addingCapacity: textStart &+ text.count) { span in
            span.withUnsafeMutableBufferPointer { target, written in
                guard let start = target.baseAddress else { return }
                let place = UnsafeMutableRawPointer(start)
                writeEntries(place, textStart)
                if let source = text.baseAddress {
                    (place + textStart).copyMemory(from: source, byteCount: text.count)
                }
                written = textStart &+ text.count
            }
        }
    }

    @inlinable static var stride: Int { 16 }

    @inlinable package var count: Int { Int(entryCount) }

    /// Marks the text as ready for a serializer to copy. Any change except `overwrite` removes the mark.
    mutating func markChecked() { isChecked = true }

    @inline(__always)
    package var textStart: Int { Self.textStart(room: Int(room)) }

    /// Nearly all messages have fewer fields, which are found faster without an index.
    private static func isLarge(room: Int) -> Bool { room > 128 }

    @inline(__always)
    private static func textStart(room: Int) -> Int {
        room &* Self.stride &+ (isLarge(room: room) ? FieldIndex.size(room: room) : 0)
    }

    // MARK: Reading

    /// Lengths that differ by a multiple of 32 share a bit.
    @inline(__always)
    private static func bit(ofLength length: UInt32) -> UInt32 { 1 &<< length }

    /// False if no field has a name of that length.
    @inline(__always)
    func mayHaveName(ofLength length: Int) -> Bool {
        nameLengths & Self.bit(ofLength: UInt32(truncatingIfNeeded: length)) != 0
    }

    /// Returns the entry at an index.
    ///
    /// - Parameters:
    ///   - index: less than `count`.
    ///   - bytes: the bytes of this storage.
    @inlinable @inline(__always)
    package func entry(_ index: Int, in bytes: UnsafeRawBufferPointer) -> Entry {
        precondition(UInt(bitPattern: index) < UInt(entryCount), "no field has that index")
        return bytes.loadUnaligned(fromByteOffset: index &* Self.stride, as: Entry.self)
    }

    /// Returns the index of the first field with that name, ignoring case, at or after `start`.
    func firstIndex(of name: UnsafeRawBufferPointer, from start: Int) -> Int? {
        precondition(start >= 0, "no field has that index")
        guard mayHaveName(ofLength: name.count) else { return nil }
        if isIndexed { return indexedFirst(of: name, from: start) }
        var index = start
        return bytes.withUnsafeBytes { bytes in
            // Most names differ in length.
            while index < count {
                let entry = entry(index, in: bytes)
                if Int(entry.nameCount) == name.count,
                    ASCII.equalsIgnoringCase(UnsafeRawBufferPointer(rebasing: bytes[entry.name]), name)
                {
                    return index
                }
                index &+= 1
            }
            return nil
        }
    }

    @inline(never)
    private func indexedFirst(of name: UnsafeRawBufferPointer, from start: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            func isNamed(_ index: Int) -> Bool {
                let found = UnsafeRawBufferPointer(rebasing: bytes[entry(index, in: bytes).name])
                return ASCII.equalsIgnoringCase(found, name)
            }
            let index = FieldIndex(room: Int(room))
            // A walk over the fields of a name goes on from the last one.
            let isWalk = start > 0 && start <= count && isNamed(start &- 1)
            var next = isWalk ? index.next(after: start &- 1, in: bytes) : index.first(name, in: bytes)
            while let found = next {
                if found >= start, isNamed(found) { return found }
                next = index.next(after: found, in: bytes)
            }
            return nil
        }
    }

    package func entry(_ index: Int) -> Entry { bytes.withUnsafeBytes { entry(index, in: $0) } }

    // MARK: Change

    /// Makes room for text of later fields.
    mutating func reserve(_ capacity: Int) { bytes.reserveCapacity(bytes.count &+ capacity) }

    /// Appends a field in wire form: `name: value CRLF`.
    mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let length = name.count &+ value.count &+ 4
        precondition(bytes.count &+ length < Int(UInt32.max), "4 GiB of fields")
        isChecked = false
        if entryCount == room { makeRoom(for: length) }
        let start = bytes.count
        bytes.append(addingCapacity: length) { span in
            span.withUnsafeMutableBufferPointer { line, written in
                let line = UnsafeMutableRawBufferPointer(line)
                line.copyMemory(from: name)
                line[name.count] = Byte.colon
                line[name.count &+ 1] = Byte.space
                UnsafeMutableRawBufferPointer(rebasing: line[(name.count &+ 2)...]).copyMemory(from: value)
                line[length &- 2] = Byte.carriageReturn
                line[length &- 1] = Byte.lineFeed
                written = length
            }
        }
        nameLengths |= Self.bit(ofLength: UInt32(truncatingIfNeeded: name.count))
        let nameEnd = start &+ name.count
        write(Entry(from: start, nameEnd: nameEnd, valueStart: nameEnd &+ 2, to: bytes.count &- 2), at: count)
        entryCount &+= 1
        if isIndexed { insert(count &- 1) }
    }

    /// Replaces a field by one with the same name.
    mutating func replace(at index: Int, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let wasIndexed = isIndexed
        isIndexed = false
        append(name: name, value: value)
        write(entry(count &- 1), at: index)
        entryCount &-= 1
        guard isIndexed else {
            isIndexed = wasIndexed
            return
        }
        // Room was made, with an index that has the appended field.
        isIndexed = false
        makeFindable()
    }

    @inline(__always)
    private mutating func write(_ entry: Entry, at index: Int) {
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: entry, toByteOffset: index &* Self.stride, as: Entry.self)
        }
    }

    /// Doubles the room for entries, to at least 8, and reserves 256 bytes of text, enough for most messages.
    private mutating func makeRoom(for length: Int) {
        let old = self
        self = old.bytes.withUnsafeBytes { bytes in
            let text = UnsafeRawBufferPointer(rebasing: bytes[old.textStart...])
            let room = Swift.max(8, 2 &* Int(old.room))
            return FieldStorage(text: text, room: room, capacity: Swift.max(256, length)) {
                place, textStart in
                place.initializeMemory(as: UInt8.self, repeating: 0, count: textStart)
                for index in 0..<old.count {
                    let entry = old.entry(index, in: bytes).moved(by: textStart &- old.textStart)
                    place.storeBytes(of: entry, toByteOffset: index &* Self.stride, as: Entry.self)
                }
            }
        }
        entryCount = old.entryCount
        nameLengths = old.nameLengths
        makeFindable()
    }

    /// Makes the index if there are many fields and it is missing.
    mutating func makeFindable() {
        if !isIndexed, Self.isLarge(room: Int(room)) { makeIndex() }
    }

    @inline(never)
    private mutating func makeIndex() {
        let index = FieldIndex(room: Int(room))
        bytes.withUnsafeMutableBytes { index.clear(in: $0) }
        isIndexed = true
        for number in 0..<count { insert(number) }
    }

    @inline(never)
    private mutating func insert(_ number: Int) {
        let (name, index) = (entry(number).name, FieldIndex(room: Int(room)))
        bytes.withUnsafeMutableBytes { index.insert(number, name: name, in: $0) }
    }

    /// Removes the entries from `start` on whose names match, and leaves their text in place. Copies nothing
    /// if no name matches.
    mutating func remove(
        from start: Int = 0, where isRemoved: (_ name: UnsafeRawBufferPointer) -> Bool
    ) {
        let first = bytes.withUnsafeBytes { bytes in
            (start..<count).first {
                isRemoved(UnsafeRawBufferPointer(rebasing: bytes[entry($0, in: bytes).name]))
            }
        }
        guard let first else { return }
        isChecked = false
        isIndexed = false
        var kept = first
        for index in first &+ 1..<count {
            let entry = entry(index)
            let goes = bytes.withUnsafeBytes { isRemoved(UnsafeRawBufferPointer(rebasing: $0[entry.name])) }
            if goes { continue }
            write(entry, at: kept)
            kept &+= 1
        }
        entryCount = UInt32(truncatingIfNeeded: kept)
    }

    package mutating func overwrite(valueAt index: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        let value = entry(index).value
        bytes.withUnsafeMutableBytes { write(UnsafeMutableRawBufferPointer(rebasing: $0[value])) }
    }
}
