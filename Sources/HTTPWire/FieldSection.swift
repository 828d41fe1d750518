import ASCIIText
import HTTPModel

/// Parses the field lines of a head or of trailers, and counts them against the limits. Fails at the first byte that
/// breaks a rule, so the result does not depend on how the input is cut.
struct FieldSection {
    let blockLimit: Int
    let lineLimit: Int
    let countLimit: Int
    /// The fields' positions, counted from the head's first byte. Reused for the next head.
    private var entries: [FieldStorage.Entry] = []
    private var entryCount = 0
    private(set) var facts: FieldFacts
    private var blockBytes = 0
    private var lineCount = 0
    /// The progress in an incomplete line, so that no byte is scanned twice.
    private var cutLine: CutLine?
    /// The name in a line that broke a rule, if it is a token before a colon.
    private(set) var faultyName: String?

    private struct CutLine {
        // Counted from the line's first byte.
        let colon: Int
        let valueStart: Int
        let end: Int
    }

    init(block: Int, line: Int, count: Int, side: FieldFacts.Side) {
        blockLimit = block
        lineLimit = line
        countLimit = count
        facts = FieldFacts(side: side)
    }

    mutating func reset() {
        entryCount = 0
        facts = FieldFacts(side: facts.side)
        blockBytes = 0
        lineCount = 0
        cutLine = nil
        faultyName = nil
    }

    /// Returns a copy of the head with the positions of its fields.
    func storage(of head: UnsafeRawBufferPointer) -> FieldStorage {
        FieldStorage(head: head, entries: entries, count: entryCount)
    }

    /// Parses lines from `position` on, and moves `position` past the last complete line.
    ///
    /// - Parameters:
    ///   - bytes: the head, or the trailers, so far.
    ///   - position: the index of the first unparsed byte.
    ///   - keeping: false for trailers, which are checked and dropped.
    /// - Returns: true after the empty line; false if the next call needs the bytes from `position` on, and more.
    mutating func parse(
        _ bytes: UnsafeRawBufferPointer, position: inout Int, keeping: Bool
    ) throws(WireFault) -> Bool {
        let count = bytes.count
        while position < count {
            if keeping, cutLine == nil { try parseUsualLines(bytes, &position) }
            guard position < count else { return false }
            let start = position
            if bytes[start] == Byte.carriageReturn {
                guard start &+ 1 < count else { return false }
                guard bytes[start &+ 1] == Byte.lineFeed else { throw .bareCarriageReturn }
                position = start &+ 2
                return true
            }
            do throws(WireFault) {
                guard try parseLine(bytes, &position, keeping: keeping) else { return false }
            } catch {
                faultyName = Self.name(of: bytes, from: start)
                throw error
            }
        }
        return false
    }

    private static func name(of line: UnsafeRawBufferPointer, from start: Int) -> String? {
        let limit = min(line.count, start &+ HTTPFieldName.maximumLength)
        let colon = ByteScan.firstOutsideToken(line, from: start, to: limit)
        guard colon < line.count, colon > start, line[colon] == Byte.colon else { return nil }
        return String(decoding: line[start..<colon], as: UTF8.self)
    }

    /// Parses a line of any form. Returns false if it is incomplete.
    @inline(never)
    private mutating func parseLine(
        _ bytes: UnsafeRawBufferPointer, _ position: inout Int, keeping: Bool
    ) throws(WireFault) -> Bool {
        let count = bytes.count
        let start = position
        guard lineCount < countLimit else { throw .tooManyFields }
        // The line's CR must be at `cap` or earlier.
        let blockRest = blockLimit &- blockBytes &- 2
        let cap = start &+ min(lineLimit, blockRest)

        let valueLimit = min(count, cap)
        let colon: Int
        var valueStart: Int
        var end: Int
        if let cutLine {
            colon = start &+ cutLine.colon
            valueStart = start &+ cutLine.valueStart
            end = start &+ cutLine.end
        } else {
            let nameLimit = min(valueLimit, start &+ HTTPFieldName.maximumLength)
            colon = ByteScan.firstOutsideToken(bytes, from: start, to: nameLimit)
            guard colon < count else { return false }
            guard colon < cap else { throw blockRest < lineLimit ? .blockTooLarge : .lineTooLong }
            guard bytes[colon] == Byte.colon, colon > start else {
                throw Self.nameFault(bytes[colon], isFirst: colon == start)
            }
            valueStart = colon &+ 1
            end = valueStart
        }
        if end == valueStart {
            while valueStart < valueLimit, ASCII.isBlank(bytes[valueStart]) { valueStart &+= 1 }
            end = valueStart
        }
        end = ByteScan.firstControl(bytes, from: end, to: valueLimit)
        while end < valueLimit, bytes[end] == Byte.tab {
            end = ByteScan.firstControl(bytes, from: end &+ 1, to: valueLimit)
        }
        guard end &+ 1 < count || (end < count && bytes[end] != Byte.carriageReturn) else {
            cutLine = CutLine(colon: colon &- start, valueStart: valueStart &- start, end: end &- start)
            return false
        }
        guard bytes[end] == Byte.carriageReturn else {
            if end >= cap { throw blockRest < lineLimit ? .blockTooLarge : .lineTooLong }
            throw bytes[end] == Byte.lineFeed ? .bareLineFeed : .valueByte
        }
        guard bytes[end &+ 1] == Byte.lineFeed else { throw .bareCarriageReturn }

        cutLine = nil
        position = end &+ 2
        blockBytes &+= position &- start
        lineCount &+= 1
        guard keeping else { return true }
        while end > valueStart, ASCII.isBlank(bytes[end &- 1]) { end &-= 1 }
        try keep(bytes, name: start..<colon, value: valueStart..<end)
        return true
    }

    /// Parses lines of the usual form until a line has another form.
    @inline(never)
    private mutating func parseUsualLines(
        _ bytes: UnsafeRawBufferPointer, _ position: inout Int
    ) throws(WireFault) {
        if entries.isEmpty { entries = Array(repeating: Self.noEntry, count: 12) }
        // Moved out and back, so that writes do not check each time whether the array is shared.
        var entries = self.entries
        self.entries = []
        let first = position
        let room = min(entries.count, entryCount &+ countLimit &- lineCount)
        let count = try entries.withUnsafeMutableBufferPointer { (entries) throws(WireFault) in
            try parseUsualLines(
                bytes, &position, UnsafeMutableBufferPointer(rebasing: entries[entryCount..<room]))
        }
        self.entries = entries
        lineCount &+= count
        entryCount &+= count
        blockBytes &+= position &- first
    }

    /// Returns the number of lines parsed, at most the number of places.
    private mutating func parseUsualLines(
        _ bytes: UnsafeRawBufferPointer, _ position: inout Int,
        _ places: UnsafeMutableBufferPointer<FieldStorage.Entry>
    ) throws(WireFault) -> Int {
        let limit = min(bytes.count, position &+ blockLimit &- blockBytes &- 2)
        let lineLimit = lineLimit
        var start = position
        var count = 0
        while count < places.count,
            let (colon, end) = ByteScan.usualFieldLine(bytes, from: start, to: limit),
            end &- start <= lineLimit
        {
            places[count] = FieldStorage.Entry(from: start, nameEnd: colon, valueStart: colon &+ 2, to: end)
            count &+= 1
            try facts.note(
                name: UnsafeRawBufferPointer(rebasing: bytes[start..<colon]),
                value: UnsafeRawBufferPointer(rebasing: bytes[colon &+ 2..<end]))
            start = end &+ 2
        }
        position = start
        return count
    }

    private static var noEntry: FieldStorage.Entry {
        FieldStorage.Entry(from: 0, nameEnd: 0, valueStart: 0, to: 0)
    }

    private mutating func keep(
        _ bytes: UnsafeRawBufferPointer, name: Range<Int>, value: Range<Int>
    ) throws(WireFault) {
        if entryCount == entries.count {
            entries.append(contentsOf: repeatElement(Self.noEntry, count: max(12, entryCount)))
        }
        entries[entryCount] = FieldStorage.Entry(
            from: name.lowerBound, nameEnd: name.upperBound, valueStart: value.lowerBound,
            to: value.upperBound
        )
        entryCount &+= 1
        try facts.note(
            name: UnsafeRawBufferPointer(rebasing: bytes[name]),
            value: UnsafeRawBufferPointer(rebasing: bytes[value]))
    }

    /// Returns the rule broken by this byte in place of the colon after a name.
    private static func nameFault(_ byte: UInt8, isFirst: Bool) -> WireFault {
        switch byte {
        case Byte.lineFeed: .bareLineFeed
        case Byte.colon: .emptyName
        case Byte.space, Byte.tab: isFirst ? .obsoleteFold : .blankBeforeColon
        case Byte.carriageReturn: .missingColon
        default: ASCII.isTokenByte(byte) ? .nameTooLong : .nameByte
        }
    }
}
