import ASCIIText
import HTTPModel

/// Parses the field lines of a head or of trailers, and counts them against the limits. Fails at the first
/// byte that breaks a rule, so the result does not depend on how the input is cut.
///
/// A value of a response may continue on the next line (obs-fold, RFC 9112 5.2). What a value says about
/// framing is therefore final only when the next line begins: `settle` decides then.
struct FieldSection {
    let blockLimit: Int
    let lineLimit: Int
    let countLimit: Int
    /// The fields' positions, counted from the head's first byte. Reused for the next head.
    private var entries: [FieldStorage.Entry] = []
    private var entryCount = 0
    private(set) var facts: FieldFacts
    /// The rules that the response broke without harm.
    private(set) var tolerated: ToleratedFaults = []
    /// What the next line decides about the last one.
    private var unsettled: Unsettled?
    /// Whether a line of this section precedes, which the next line may continue.
    private var hasLine = false
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

    private enum Unsettled {
        /// The value breaks this rule, unless the next line continues it.
        case fault(WireFault)
        /// The value was continued, so it is to be noted again.
        case folded
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
        tolerated = []
        unsettled = nil
        hasLine = false
    }

    /// Returns a copy of the head with the positions of its fields, and spaces instead of folds.
    func storage(of head: UnsafeRawBufferPointer) -> FieldStorage {
        var storage = FieldStorage(head: head, entries: entries, count: entryCount)
        if tolerated.contains(.obsoleteFold) { Fold.removeAll(from: &storage) }
        return storage
    }

    /// Parses lines from `position` on, and moves `position` past the last complete line.
    ///
    /// - Parameters:
    ///   - bytes: the head, or the trailers, so far.
    ///   - position: the index of the first unparsed byte.
    ///   - keeping: false for trailers, which are checked and dropped.
    /// - Returns: true after the empty line; false if the next call needs the bytes from `position` on, and
    ///   more.
    mutating func parse(
        _ bytes: UnsafeRawBufferPointer, position: inout Int, keeping: Bool
    ) throws(WireFault) -> Bool {
        let count = bytes.count
        while position < count {
            if keeping, cutLine == nil, unsettled == nil { parseUsualLines(bytes, &position) }
            guard position < count else { return false }
            let start = position
            let isFold = hasLine && ASCII.isBlank(bytes[start]) && facts.side != .request
            if !isFold, let unsettled = unsettled.take() { try settle(unsettled, bytes) }
            if bytes[start] == Byte.carriageReturn {
                guard start &+ 1 < count else { return false }
                guard bytes[start &+ 1] == Byte.lineFeed else { throw .bareCarriageReturn }
                position = start &+ 2
                hasLine = false
                return true
            }
            do throws(WireFault) {
                guard try parseLine(bytes, &position, isFold: isFold, keeping: keeping) else { return false }
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

    /// Returns the fault of a line that does not fit. A line of a request that would fill at least half of
    /// the block is too long itself, so that the refusal names its field.
    private func overflow(_ blockRest: Int) -> WireFault {
        guard blockRest < lineLimit else { return .lineTooLong }
        return facts.side == .request && blockBytes <= blockRest ? .lineTooLong : .blockTooLarge
    }

    /// Parses a line of any form: a field, or the continuation of one. Returns false if it is incomplete.
    @inline(never)
    private mutating func parseLine(
        _ bytes: UnsafeRawBufferPointer, _ position: inout Int, isFold: Bool, keeping: Bool
    ) throws(WireFault) -> Bool {
        let count = bytes.count
        let start = position
        guard isFold || lineCount < countLimit else { throw .tooManyFields }
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
        } else if isFold {
            (colon, valueStart, end) = (start, start, start)
        } else {
            let nameLimit = min(valueLimit, start &+ HTTPFieldName.maximumLength)
            colon = ByteScan.firstOutsideToken(bytes, from: start, to: nameLimit)
            guard colon < count else { return false }
            guard colon < cap else { throw overflow(blockRest) }
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
            if end >= cap { throw overflow(blockRest) }
            throw bytes[end] == Byte.lineFeed ? .bareLineFeed : .valueByte
        }
        guard bytes[end &+ 1] == Byte.lineFeed else { throw .bareCarriageReturn }

        cutLine = nil
        position = end &+ 2
        blockBytes &+= position &- start
        hasLine = true
        if !isFold { lineCount &+= 1 }
        guard keeping else { return true }
        while end > valueStart, ASCII.isBlank(bytes[end &- 1]) { end &-= 1 }
        if isFold {
            append(valueStart..<end)
        } else {
            try keep(bytes, name: start..<colon, value: valueStart..<end)
        }
        return true
    }

    /// Parses lines of the usual form until a line has another form, or a value that breaks a rule.
    @inline(never)
    private mutating func parseUsualLines(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) {
        if entries.isEmpty { entries = Array(repeating: Self.noEntry, count: 12) }
        // Moved out and back, so that writes do not check each time whether the array is shared.
        var entries = self.entries
        self.entries = []
        let first = position
        let room = min(entries.count, entryCount &+ countLimit &- lineCount)
        let count = entries.withUnsafeMutableBufferPointer { entries in
            parseUsualLines(
                bytes, &position, UnsafeMutableBufferPointer(rebasing: entries[entryCount..<room]))
        }
        self.entries = entries
        lineCount &+= count
        entryCount &+= count
        blockBytes &+= position &- first
        if count > 0 { hasLine = true }
    }

    /// Returns the number of lines parsed, at most the number of places.
    private mutating func parseUsualLines(
        _ bytes: UnsafeRawBufferPointer, _ position: inout Int,
        _ places: UnsafeMutableBufferPointer<FieldStorage.Entry>
    ) -> Int {
        let limit = min(bytes.count, position &+ blockLimit &- blockBytes &- 2)
        let lineLimit = lineLimit
        var start = position
        var count = 0
        while count < places.count,
            let (colon, end) = ByteScan.usualFieldLine(bytes, from: start, to: limit),
            end &- start <= lineLimit
        {
            places[count] = FieldStorage.Entry(from: start, nameEnd: colon, valueStart: colon &+ 2, to: end)
            do throws(WireFault) {
                try facts.note(
                    name: UnsafeRawBufferPointer(rebasing: bytes[start..<colon]),
                    value: UnsafeRawBufferPointer(rebasing: bytes[colon &+ 2..<end]))
            } catch {
                // `parseLine` parses the line again.
                break
            }
            count &+= 1
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
        do throws(WireFault) {
            try facts.note(
                name: UnsafeRawBufferPointer(rebasing: bytes[name]),
                value: UnsafeRawBufferPointer(rebasing: bytes[value]))
        } catch {
            guard facts.side != .request else { throw error }
            unsettled = .fault(error)
        }
    }

    /// Returns the rule broken by this byte where the colon after a name is expected.
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

// What a response's next line decides.
extension FieldSection {
    /// Continues the last value with this text.
    private mutating func append(_ text: Range<Int>) {
        tolerated.insert(.obsoleteFold)
        unsettled = .folded
        guard entryCount > 0, !text.isEmpty else { return }
        let last = entries[entryCount &- 1]
        let start = last.value.isEmpty ? text.lowerBound : last.value.lowerBound
        entries[entryCount &- 1] = FieldStorage.Entry(
            from: last.name.lowerBound, nameEnd: last.name.upperBound, valueStart: start,
            to: text.upperBound)
    }

    /// The last value is complete.
    @inline(never)
    private mutating func settle(
        _ unsettled: Unsettled, _ bytes: UnsafeRawBufferPointer
    ) throws(WireFault) {
        guard entryCount > 0 else { return }
        do throws(WireFault) {
            switch unsettled {
            case .fault(let fault): throw fault
            case .folded: try noteAll(bytes)
            }
        } catch {
            let last = entries[entryCount &- 1]
            if mergesLength(last, bytes) { return }
            faultyName = String(decoding: bytes[last.name], as: UTF8.self)
            throw error
        }
    }

    /// Notes the fields again. Earlier values are known to be valid, so only the last one may be at fault.
    private mutating func noteAll(_ bytes: UnsafeRawBufferPointer) throws(WireFault) {
        facts = FieldFacts(side: facts.side)
        for entry in entries[..<entryCount] {
            let name = UnsafeRawBufferPointer(rebasing: bytes[entry.name])
            let value = Fold.unfolded(UnsafeRawBufferPointer(rebasing: bytes[entry.value]))
            let result = value.withUnsafeBytes { value in
                Result { () throws(WireFault) in try facts.note(name: name, value: value) }
            }
            try result.get()
        }
    }

    /// Takes a `Content-Length` that repeats one number for that number (RFC 9110 8.6). Keeps only the first
    /// one's field.
    private mutating func mergesLength(
        _ last: FieldStorage.Entry, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        let value = Fold.unfolded(UnsafeRawBufferPointer(rebasing: bytes[last.value]))
        let isMerged = value.withUnsafeBytes { value in
            facts.mergeLength(name: UnsafeRawBufferPointer(rebasing: bytes[last.name]), value)
        }
        guard let isFirst = isMerged else { return false }
        tolerated.insert(.repeatedContentLength)
        if isFirst {
            let digits = bytes[last.value].prefix { ASCII.isDigit($0) }
            entries[entryCount &- 1] = FieldStorage.Entry(
                from: last.name.lowerBound, nameEnd: last.name.upperBound,
                valueStart: last.value.lowerBound, to: digits.endIndex)
        } else {
            entryCount &-= 1
        }
        return true
    }
}
