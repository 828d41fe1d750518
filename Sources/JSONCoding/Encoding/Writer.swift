import ASCIIText
import FoundationEssentials
@_spi(Lines) @_spi(Reading) import JSONBytes

/// Writes the text of one call of `encode`, or of a deferred value in it.
///
/// Arrays and objects are written in encoding order. A nested container or super encoder may be filled later,
/// so it gets its own writer. Its text is inserted when the container around it ends.
///
/// Exclusivity checks would cost more than the writing. Only one thread at a time uses an encoder, and no
/// method calls back into a part of the state that it is changing.
final class Writer {
    let settings: JSONBytesEncoder
    let isPretty: Bool
    private let escapesSlashes: Bool
    private let sortsKeys: Bool
    var line = JSONLine(capacity: 512)
    /// The open containers, innermost last.
    private(set) var frames: [Frame] = []
    /// The members of all open objects, in order.
    var members: [WrittenMember] = []
    /// The deferred values of the open containers, in order.
    var deferredValues: [DeferredValue] = []
    private(set) var path: [any CodingKey]
    /// The mark of an object that is exempt from the key strategy, or -1.
    private var plainObject = -1
    /// The mark of an object whose members are sorted, or -1.
    private var sortedObject = -1
    private var removals = 0
    /// The number of containers around this text.
    private let outerDepth: Int
    /// The outermost writer, which records misuse; nil in that writer.
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

    /// Creates a writer for a deferred value in the innermost container of `outer`.
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

    var bytes: [UInt8] { [UInt8](line.bytes) }

    // MARK: Misuse

    var misuse: Misuse? { main?.misuse ?? firstMisuse }

    /// Records that a type broke the rules of `Encoder`. Containers cannot throw, so `encode` throws at the
    /// end.
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

    /// Writes types with a strategy by the strategy, others by their own `encode(to:)`.
    func write<Value: Encodable>(_ value: Value) throws {
        if try writeKnown(value) { return }
        try write { encoder in try value.encode(to: encoder) }
    }

    /// Writes what `body` encodes. Without any output, a nested value becomes an empty object; a top-level
    /// value stays empty.
    func write(_ body: (ValueEncoder) throws -> Void) throws {
        let level = frames.count
        let start = line.length
        try body(ValueEncoder(writer: self, level: level, mark: mark))
        while frames.count > level { close() }
        if line.length == start, depth > 0 { writeEmptyObject() }
    }

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

    /// Identifies the end of the text. If an error removes text, later marks differ from all earlier ones, so
    /// an encoder kept from the removed value cannot write.
    @inline(__always)
    var mark: Int { line.length | removals &<< 40 }

    struct Checkpoint {
        fileprivate let length: Int
        fileprivate let frames: Int
        fileprivate let members: Int
        fileprivate let deferredValues: Int
        fileprivate let count: Int
    }

    func checkpoint(_ level: Int) -> Checkpoint {
        Checkpoint(
            length: line.length, frames: frames.count, members: members.count,
            deferredValues: deferredValues.count, count: frames[level].count)
    }

    func restore(_ checkpoint: Checkpoint, _ level: Int) {
        removals &+= 1
        line.truncate(to: checkpoint.length)
        frames.removeSubrange(checkpoint.frames...)
        members.removeSubrange(checkpoint.members...)
        deferredValues.removeSubrange(checkpoint.deferredValues...)
        frames[level].count = checkpoint.count
    }

    // MARK: Containers

    struct Frame {
        let isObject: Bool
        /// Identifies its place in the text.
        let mark: Int
        let firstMember: Int
        let firstDeferredValue: Int
        /// Whether it is exempt from the key strategy.
        let isPlain: Bool
        /// Whether its members are sorted by name.
        let isSorted: Bool
        var count = 0
        /// Whether every name so far sorts after the one before it.
        var isAscending = true
    }

    /// Exempts an object that starts here from the key strategy.
    func nextObjectIsPlain() { plainObject = mark }

    /// Sorts the members of an object that starts here.
    func nextObjectIsSorted() { sortedObject = mark }

    func open(isObject: Bool) {
        frames.append(
            Frame(
                isObject: isObject, mark: mark, firstMember: members.count,
                firstDeferredValue: deferredValues.count, isPlain: plainObject == mark,
                isSorted: sortsKeys || sortedObject == mark))
        plainObject = -1
        sortedObject = -1
        if isObject { line.constant("{") } else { line.constant("[") }
    }

    func close() {
        guard let frame = frames.last else { return }
        if deferredValues.count > frame.firstDeferredValue { insertDeferredValues(of: frame) }
        if frame.isObject {
            if !frame.isAscending { arrange(frame, sorted: frame.isSorted) }
            members.removeSubrange(frame.firstMember...)
        }
        frames.removeLast()
        if isPretty {
            if frame.count == 0 { line.constant("\n") }
            newLine()
        }
        if frame.isObject { line.constant("}") } else { line.constant("]") }
    }

    /// Whether this is the innermost open container. Records a misuse if it is open, but not innermost.
    @inline(__always)
    func isOpen(_ level: Int, _ mark: Int) -> Bool {
        guard level >= 0, level < frames.count else { return false }
        if level == frames.count &- 1, frames[level].mark == mark { return true }
        // Anything encoded to a closed container is dropped.
        if !isFinished, frames[level].mark == mark {
            misused("A container was written to while a value inside it was being encoded.")
        }
        return false
    }

    func finish() {
        while !frames.isEmpty { close() }
        if isEmpty { writeEmptyObject() }
        isFinished = true
    }

    // MARK: Members and elements

    @inline(__always)
    func beginElement(_ level: Int) {
        if frames[level].count > 0 { line.constant(",") }
        frames[level].count &+= 1
        if isPretty { newLine() }
    }

    /// Writes the separator, the name and the colon.
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

    var separatorLength: Int { isPretty ? 2 + 2 * depth : 1 }

    // MARK: Scalars

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
