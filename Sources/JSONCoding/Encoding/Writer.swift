import ASCIIText
import FoundationEssentials
@_spi(Lines) @_spi(Reading) import JSONBytes

/// The text of one call of `encode`, or of a container in it that is filled out of order.
///
/// Arrays and objects are written as they come, each inside the one that is open. What is asked for to be filled later, a nested
/// container or a super encoder, is a writer of its own; its text is put in its place where the container around it ends.
///
/// Its state is not checked for exclusive access, which would cost more than the writing: one thread has an encoder at a time, and
/// nothing that a method calls while it changes a part of the state comes back to that part.
final class Writer {
    let settings: JSONBytesEncoder
    let isPretty: Bool
    private let escapesSlashes: Bool
    private let sortsKeys: Bool
    var line = JSONLine(capacity: 512)
    /// The containers that are open, innermost last.
    private(set) var frames: [Frame] = []
    /// The members of all open objects, in order.
    var members: [WrittenMember] = []
    /// Writers whose text is due in the open containers, in order.
    var parts: [Part] = []
    /// The keys of the values that are being written.
    private(set) var path: [any CodingKey]
    /// Where an object begins whose keys no strategy changes.
    private var plainObject = -1
    /// Containers around this text.
    private let outerDepth: Int
    /// Whose misuse is that of all.
    private let main: Writer?
    private var firstMisuse: Misuse?
    private(set) var isFinished = false

    init(_ settings: JSONBytesEncoder) {
        self.settings = settings
        isPretty = settings.outputFormatting.contains(.prettyPrinted)
        escapesSlashes = !settings.outputFormatting.contains(.withoutEscapingSlashes)
        sortsKeys = settings.outputFormatting.contains(.sortedKeys)
        path = []
        outerDepth = 0
        main = nil
        frames.reserveCapacity(8)
        members.reserveCapacity(24)
    }

    /// Text for a place in the innermost container of `outer`.
    init(inside outer: Writer, at key: any CodingKey) {
        settings = outer.settings
        isPretty = outer.isPretty
        escapesSlashes = outer.escapesSlashes
        sortsKeys = outer.sortsKeys
        path = outer.path + [key]
        outerDepth = outer.depth
        main = outer.main ?? outer
    }

    var depth: Int { outerDepth + frames.count }

    var isEmpty: Bool { line.bytes.isEmpty }

    /// What was written.
    var bytes: [UInt8] { [UInt8](line.bytes) }

    // MARK: Misuse

    var misuse: Misuse? { main?.misuse ?? firstMisuse }

    /// Remembers that a type broke the rules of `Encoder`, which has no other way to say so.
    func misused(_ description: String) {
        let misuse = Misuse(path: path, description: description)
        if let main {
            main.firstMisuse = main.firstMisuse ?? misuse
        } else {
            firstMisuse = firstMisuse ?? misuse
        }
    }

    struct Misuse {
        let path: [any CodingKey]
        let description: String

        func error(of value: Any) -> EncodingError {
            .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: description))
        }
    }

    // MARK: Values

    /// A value of any type: what has a strategy by it, others by themselves.
    func write<Value: Encodable>(_ value: Value) throws {
        if try writeSimple(value) { return }
        try write { encoder in try value.encode(to: encoder) }
    }

    /// What `body` encodes, an empty object where that is nothing; of the whole document nothing is nothing.
    func write(_ body: (ValueEncoder) throws -> Void) throws {
        let level = frames.count
        let start = line.length
        try body(ValueEncoder(writer: self, level: level, start: start))
        while frames.count > level { close() }
        if line.length == start, depth > 0 || main != nil { writeEmptyObject() }
    }

    /// The same for a key: where it throws, the text is as it was.
    @inline(__always)
    func write<Value: Encodable>(_ value: Value, at key: @autoclosure () -> any CodingKey) throws {
        path.append(key())
        defer { path.removeLast() }
        try write(value)
    }

    func writeEmptyObject() {
        open(isObject: true)
        close()
    }

    /// The text as it is before a value is written that may fail.
    struct Mark {
        fileprivate let length: Int
        fileprivate let frames: Int
        fileprivate let members: Int
        fileprivate let parts: Int
        fileprivate let count: Int
    }

    func mark(_ level: Int) -> Mark {
        Mark(
            length: line.length, frames: frames.count, members: members.count, parts: parts.count,
            count: frames[level].count)
    }

    func restore(_ mark: Mark, _ level: Int) {
        line.truncate(to: mark.length)
        frames.removeSubrange(mark.frames...)
        members.removeSubrange(mark.members...)
        parts.removeSubrange(mark.parts...)
        frames[level].count = mark.count
    }

    // MARK: Containers

    struct Frame {
        let isObject: Bool
        /// Of its bracket.
        let start: Int
        /// The first of its members and its parts.
        let firstMember: Int
        let firstPart: Int
        /// Whether no key strategy applies.
        let isPlain: Bool
        var count = 0
        /// Whether each name is above the one before it, byte by byte.
        var isAscending = true
    }

    func nextObjectIsPlain() { plainObject = line.length }

    func open(isObject: Bool) {
        frames.append(
            Frame(
                isObject: isObject, start: line.length, firstMember: members.count, firstPart: parts.count,
                isPlain: plainObject == line.length))
        plainObject = -1
        if isObject { line.constant("{") } else { line.constant("[") }
    }

    /// Ends the innermost container.
    func close() {
        guard let frame = frames.last else { return }
        if parts.count > frame.firstPart { putParts(of: frame) }
        if frame.isObject {
            if !frame.isAscending { arrange(frame, sorted: sortsKeys) }
            members.removeSubrange(frame.firstMember...)
        }
        frames.removeLast()
        if isPretty {
            if frame.count == 0 { line.constant("\n") }
            newLine()
        }
        if frame.isObject { line.constant("}") } else { line.constant("]") }
    }

    /// Whether the container at `level`, which began at `start`, is the innermost one that is open.
    @inline(__always)
    func isOpen(_ level: Int, _ start: Int) -> Bool {
        guard level >= 0, level < frames.count else { return false }
        if level == frames.count &- 1, frames[level].start == start { return true }
        // What is encoded later than its container is no part of it.
        if !isFinished, frames[level].start == start {
            misused("A container was written to while one inside of it was being encoded.")
        }
        return false
    }

    func finish() {
        while !frames.isEmpty { close() }
        if isEmpty { writeEmptyObject() }
        isFinished = true
    }

    // MARK: Members and elements

    /// What stands before an element.
    @inline(__always)
    func beginElement(_ level: Int) {
        if frames[level].count > 0 { line.constant(",") }
        frames[level].count &+= 1
        if isPretty { newLine() }
    }

    /// The name of a member, and what stands around it.
    func beginMember(_ name: String, _ level: Int) {
        beginElement(level)
        let start = line.length
        write(text: name)
        let member = WrittenMember(start: start, nameEnd: line.length, in: line.bytes)
        if isPretty { line.constant(" : ") } else { line.constant(":") }
        if frames[level].isAscending, let last = members.last, members.count > frames[level].firstMember {
            frames[level].isAscending = last.isBelow(member, in: line.bytes)
        }
        members.append(member)
    }

    func newLine() {
        line.constant("\n")
        for _ in 0..<depth { line.constant("  ") }
    }

    /// Bytes between the members of the innermost container.
    var separatorLength: Int { isPretty ? 2 + 2 * depth : 1 }

    // MARK: Scalars

    /// A JSON string.
    func write(text: String) {
        let start = line.length
        line.string(text)
        guard escapesSlashes, line.bytes[start...].contains(UInt8(ascii: "/")) else { return }
        var escaped: [UInt8] = []
        for byte in line.bytes[start...] {
            if byte == UInt8(ascii: "/") { escaped.append(Byte.backslash) }
            escaped.append(byte)
        }
        line.truncate(to: start)
        escaped.withUnsafeBufferPointer { line.plain($0) }
    }

    @inline(__always)
    func write(_ value: Bool) {
        if value { line.constant("true") } else { line.constant("false") }
    }

    @inline(__always)
    func write<Value: FixedWidthInteger>(integer value: Value) {
        if let value = Int(exactly: value) { line.integer(value) } else { line.plain(value.description) }
    }

    func writeNull() { line.constant("null") }
}
