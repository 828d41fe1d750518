import HTTPModel

/// Parses field lines, of a head or of trailers, and counts them against the limits.
///
/// Every verdict falls at the first byte that decides it, so it is the same however the bytes are cut.
struct FieldSection {
    let blockLimit: Int
    let lineLimit: Int
    let countLimit: Int
    private(set) var entries: [HTTPFields.Entry] = []
    private(set) var facts: FieldFacts
    private var blockBytes = 0
    private var lineCount = 0
    /// How far the line was read that is not whole yet, so that no byte is read twice however slowly they come.
    private var cutLine: CutLine?

    private struct CutLine {
        // All relative to the line's first byte.
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
        entries = []
        facts = FieldFacts(side: facts.side)
        blockBytes = 0
        lineCount = 0
        cutLine = nil
    }

    /// Gives the entries away: the head that is made of them is their only owner.
    mutating func takeEntries() -> [HTTPFields.Entry] {
        let taken = entries
        entries = []
        return taken
    }

    /// Parses the lines from `position` on, and moves it past the last whole line. True: the empty line came.
    /// False: it did not yet, and the bytes from `position` on are wanted again. Trailers are not kept.
    mutating func parse(
        _ bytes: UnsafeRawBufferPointer, position: inout Int, keeping: Bool
    ) throws(WireFault) -> Bool {
        let count = bytes.count
        while position < count {
            let start = position
            if bytes[start] == Byte.carriageReturn {
                guard start &+ 1 < count else { return false }
                guard bytes[start &+ 1] == Byte.lineFeed else { throw .bareCarriageReturn }
                position = start &+ 2
                return true
            }
            guard lineCount < countLimit else { throw .tooManyFields }
            // The line's CR stands at `cap` at the latest.
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
            guard keeping else { continue }
            while end > valueStart, ASCII.isBlank(bytes[end &- 1]) { end &-= 1 }
            try keep(bytes, name: start..<colon, value: valueStart..<end)
        }
        return false
    }

    @inline(__always)
    private mutating func keep(
        _ bytes: UnsafeRawBufferPointer, name: Range<Int>, value: Range<Int>
    ) throws(WireFault) {
        if entries.isEmpty { entries.reserveCapacity(12) }
        entries.append(
            HTTPFields.Entry(
                nameStart: name.lowerBound, nameCount: name.count, valueStart: value.lowerBound,
                valueCount: value.count))
        try facts.note(
            name: UnsafeRawBufferPointer(rebasing: bytes[name]),
            value: UnsafeRawBufferPointer(rebasing: bytes[value]))
    }

    /// Why a name ends in that byte instead of a colon.
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
