import ASCIIText
@_spi(Reading) import JSONBytes

/// The state of one call of `decode`.
final class Document {
    let text: DocumentText
    let settings: JSONBytesDecoder
    /// Keys of coding paths that are not in the document. Place -1 is the first.
    private var absentKeys: [any CodingKey] = []

    /// Copies the bytes, because a type may keep its decoder beyond the call.
    init(_ bytes: UnsafeRawBufferPointer, settings: JSONBytesDecoder) {
        text = DocumentText(copying: bytes, hasPlainNames: settings.hasPlainNames)
        self.settings = settings
    }

    deinit { text.deallocate() }

    /// Registers a key that is not in the document and returns its negative place.
    func place(ofAbsent key: any CodingKey) -> Int {
        absentKeys.append(key)
        return -absentKeys.count
    }

    func absentKey(at place: Int) -> any CodingKey { absentKeys[-1 - place] }
}

/// The bytes of a document, with a cache of offsets found in them.
///
/// The cache saves a second scan of a value that a type has just read. Results do not depend on it.
///
/// Unowned pointers avoid reference counting. Each user retains the document, which owns the memory, through
/// its node. Only one thread at a time uses a decoder.
struct DocumentText {
    let reader: ByteReader
    private let memory: UnsafeMutableRawPointer
    private let ends: UnsafeMutablePointer<Ends>

    private struct Ends {
        var knownStart = -1
        var knownEnd = -1
        /// A container and one of its values. A scan for the container's end can continue after that value.
        var openStart = -1
        var openValue = -1
        /// The start of an object that is exempt from the key strategy.
        var plainObject = -1
    }

    let hasPlainNames: Bool

    fileprivate init(copying bytes: UnsafeRawBufferPointer, hasPlainNames: Bool) {
        self.hasPlainNames = hasPlainNames
        memory = .allocate(byteCount: max(bytes.count, 1), alignment: 8)
        if let start = bytes.baseAddress { memory.copyMemory(from: start, byteCount: bytes.count) }
        reader = ByteReader(base: memory, count: bytes.count)
        ends = .allocate(capacity: 1)
        ends.initialize(to: Ends())
    }

    fileprivate func deallocate() {
        memory.deallocate()
        ends.deallocate()
    }

    /// Exempts the object at `start`, if there is one, from the key strategy.
    func setPlainObject(_ start: Int) { ends.pointee.plainObject = start }

    /// Returns whether the object at `start` is exempt, and clears the mark.
    func takePlainObject(_ start: Int) -> Bool {
        defer { ends.pointee.plainObject = -1 }
        return ends.pointee.plainObject == start
    }

    @inline(__always)
    func setEnd(of start: Int, _ end: Int) {
        ends.pointee.knownStart = start
        ends.pointee.knownEnd = end
    }

    @inline(__always)
    func end(of start: Int) -> Int {
        ends.pointee.knownStart == start ? ends.pointee.knownEnd : searchedEnd(of: start)
    }

    /// Notes that the value at `value`, in the container at `start`, is next.
    @inline(__always)
    func begins(_ value: Int, in start: Int) {
        ends.pointee.openStart = start
        ends.pointee.openValue = value
    }

    /// Notes that the value at `value`, in the container at `start`, has been decoded.
    @inline(__always)
    func passed(_ value: Int, in start: Int) {
        setEnd(of: value, end(of: value))
        begins(value, in: start)
    }

    @inline(never)
    private func searchedEnd(of start: Int) -> Int {
        var cursor = ValidCursor(reader, at: start)
        let ends = ends.pointee
        if ends.openStart == start, ends.knownStart == ends.openValue {
            cursor.index = ends.knownEnd
            while true {
                cursor.skipWhiteSpace()
                let byte = reader[cursor.index]
                cursor.index &+= 1
                guard byte == Byte.comma else { return cursor.index }
                cursor.skipWhiteSpace()
                // An element, or a member's name.
                cursor.skipValue()
                cursor.skipWhiteSpace()
                if reader[cursor.index] == Byte.colon {
                    cursor.index &+= 1
                    cursor.skipWhiteSpace()
                    cursor.skipValue()
                }
            }
        }
        cursor.skipValue()
        return cursor.index
    }

    /// Returns the offset of the first byte from `index` on that is not white space.
    @inline(__always)
    func significant(_ index: Int) -> Int {
        reader[index] > 0x20 ? index : searchedSignificant(index)
    }

    @inline(never)
    private func searchedSignificant(_ index: Int) -> Int {
        var cursor = ValidCursor(reader, at: index)
        cursor.skipWhiteSpace()
        return cursor.index
    }
}
