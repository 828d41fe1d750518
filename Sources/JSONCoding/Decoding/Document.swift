import ASCIIText
@_spi(Reading) import JSONBytes

/// One call of `decode`.
final class Document {
    let text: DocumentText
    let settings: JSONBytesDecoder
    /// Keys of coding paths that stand nowhere in the document; place -1 is the first.
    private var absentKeys: [any CodingKey] = []

    /// Copies the bytes: a type may keep its decoder for longer than they are lent.
    init(_ bytes: UnsafeRawBufferPointer, settings: JSONBytesDecoder) {
        text = DocumentText(copying: bytes, hasPlainNames: settings.hasPlainNames)
        self.settings = settings
    }

    deinit { text.deallocate() }

    func place(ofAbsent key: any CodingKey) -> Int {
        absentKeys.append(key)
        return -absentKeys.count
    }

    func absentKey(at place: Int) -> any CodingKey { absentKeys[-1 - place] }
}

/// The bytes of a document, and what has been learned of them.
///
/// What is remembered are facts about places in the bytes, true whoever asks: they spare a second walk over what a type has just
/// read, and nothing depends on them.
///
/// A value that points to memory of the document's, so that its users count no references: each of them keeps the document, by
/// its node. One thread has a decoder at a time.
struct DocumentText {
    let reader: ByteReader
    private let memory: UnsafeMutableRawPointer
    private let ends: UnsafeMutablePointer<Ends>

    private struct Ends {
        /// A value, and where it ends.
        var knownStart = -1
        var knownEnd = -1
        /// A container, and where one of its values starts: what is before that need not be walked again.
        var openStart = -1
        var openValue = -1
        /// Where an object stands whose names are taken as they are, whatever the strategy.
        var plainObject = -1
    }

    /// Whether no name is changed on its way to the types.
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

    /// The object that stands at `start`, if one does, has names that no strategy changes.
    func setPlainObject(_ start: Int) { ends.pointee.plainObject = start }

    /// Whether the object at `start` was told to be such a one; it is told once.
    func takePlainObject(_ start: Int) -> Bool {
        defer { ends.pointee.plainObject = -1 }
        return ends.pointee.plainObject == start
    }

    @inline(__always)
    func setEnd(of start: Int, _ end: Int) {
        ends.pointee.knownStart = start
        ends.pointee.knownEnd = end
    }

    /// Where the value ends that starts at `start`.
    @inline(__always)
    func end(of start: Int) -> Int {
        ends.pointee.knownStart == start ? ends.pointee.knownEnd : searchedEnd(of: start)
    }

    /// The value at `value`, in the container at `start`, is read next.
    @inline(__always)
    func begins(_ value: Int, in start: Int) {
        ends.pointee.openStart = start
        ends.pointee.openValue = value
    }

    /// The value at `value`, in the container at `start`, has been read.
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
                // A member's name and its colon, or an element.
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

    /// The first byte behind `index` that is no white space.
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
