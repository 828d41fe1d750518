import ASCIIText
import HTTPModel

/// Decodes a chunked body (RFC 9112 7.1) into ranges of the input. Checks and drops extensions and trailers.
struct ChunkedDecoder {
    enum Step {
        case needMore
        case data(Range<Int>)
        case end
    }

    private enum State {
        case size
        case data(remaining: Int)
        case dataEnd
        case trailers
    }

    private var state = State.size
    private var total = 0
    private var extensionBytes = 0
    private var lines = LineBuffer()

    mutating func next(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int, _ section: inout FieldSection
    ) throws(WireFault) -> Step {
        while consumed < input.count {
            switch state {
            case .size:
                var line = ChunkSizeLine(
                    extensionLimit: ChunkLimits.extensionBytesPerMessage - extensionBytes)
                guard try lines.feed(&line, input, &consumed) else { return .needMore }
                extensionBytes += line.extensionBytes
                let sum = total.addingReportingOverflow(line.size)
                guard !sum.overflow else { throw .chunkTooLarge }
                total = sum.partialValue
                state = line.size == 0 ? .trailers : .data(remaining: line.size)
            case .data(let remaining):
                let length = min(remaining, input.count - consumed)
                let range = consumed..<consumed + length
                consumed += length
                state = length == remaining ? .dataEnd : .data(remaining: remaining - length)
                return .data(range)
            case .dataEnd:
                var end = ChunkDataEnd()
                guard try lines.feed(&end, input, &consumed) else { return .needMore }
                state = .size
            case .trailers:
                var trailers = TrailerLines(section: section)
                // Also if a line is refused: the section has its name.
                defer { section = trailers.section }
                let isWhole = try lines.feed(&trailers, input, &consumed)
                if isWhole { return .end }
            }
        }
        return .needMore
    }
}

protocol LineScanner {
    /// Scans on from `position`, where the last call stopped, and moves `position` past the scanned bytes.
    ///
    /// - Returns: false if the line is incomplete: the next call needs the bytes from `position` on, and
    ///   more.
    mutating func scan(_ bytes: UnsafeRawBufferPointer, position: inout Int) throws(WireFault) -> Bool
}

/// Lets a scanner read lines in place, and copies a line only if the input cuts it.
struct LineBuffer {
    private static let step = 1024
    private var kept: [UInt8] = []

    mutating func feed(
        _ scanner: inout some LineScanner, _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(WireFault) -> Bool {
        if kept.isEmpty {
            let rest = UnsafeRawBufferPointer(rebasing: input[consumed...])
            var position = 0
            if try scanner.scan(rest, position: &position) {
                consumed += position
                return true
            }
            kept.append(contentsOf: rest[position...])
            consumed = input.count
            return false
        }
        while consumed < input.count {
            let before = kept.count
            let taken = min(Self.step, input.count - consumed)
            kept.append(contentsOf: input[consumed..<consumed + taken])
            var position = 0
            let result = kept.withUnsafeBytes { bytes in
                Result { () throws(WireFault) in try scanner.scan(bytes, position: &position) }
            }
            if try result.get() {
                consumed += position - before
                kept.removeAll(keepingCapacity: true)
                return true
            }
            kept.removeFirst(position)
            consumed += taken
        }
        return false
    }
}

private struct ChunkDataEnd: LineScanner {
    func scan(_ bytes: UnsafeRawBufferPointer, position: inout Int) throws(WireFault) -> Bool {
        guard let first = bytes.first else { return false }
        guard first == Byte.carriageReturn else { throw .chunkEnd }
        guard bytes.count > 1 else { return false }
        guard bytes[1] == Byte.lineFeed else { throw .chunkEnd }
        position = 2
        return true
    }
}

private struct TrailerLines: LineScanner {
    var section: FieldSection

    mutating func scan(_ bytes: UnsafeRawBufferPointer, position: inout Int) throws(WireFault) -> Bool {
        try section.parse(bytes, position: &position, keeping: false)
    }
}
