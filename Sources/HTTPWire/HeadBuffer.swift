/// Scans the lines of a head.
protocol HeadScanner {
    associatedtype Head

    /// The length of the longest head within the limits, in bytes.
    var longestHead: Int { get }

    /// Goes on where the last call stopped.
    ///
    /// - Parameter bytes: the head from its first byte, the bytes of the last call included.
    /// - Returns: the length of the head; nil if it is not whole yet.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(WireFault) -> Int?

    /// Returns the head that was scanned to its end. The bytes may go on behind it.
    mutating func head(of bytes: UnsafeRawBufferPointer, length: Int) throws(WireFault) -> Head
}

/// Lets a scanner read a head in place, and gathers only a head that arrives in pieces.
struct HeadBuffer {
    private var gathered: [UInt8] = []

    /// Whether nothing is gathered: the head begins in the input.
    var isEmpty: Bool { gathered.isEmpty }

    /// Scans the input and returns the length of the head; nil, with all input consumed, if it is not whole yet. Then `head`
    /// has to be called with the same input.
    @inline(__always)
    mutating func feed(
        _ scanner: inout some HeadScanner, _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(WireFault) -> Int? {
        guard gathered.isEmpty else { return try gather(&scanner, input, &consumed) }
        let rest = UnsafeRawBufferPointer(rebasing: input[consumed...])
        guard let length = try scanner.scan(rest) else {
            gathered.append(contentsOf: rest)
            consumed = input.count
            return nil
        }
        consumed &+= length
        return length
    }

    private mutating func gather(
        _ scanner: inout some HeadScanner, _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(WireFault) -> Int? {
        let rest = UnsafeRawBufferPointer(rebasing: input[consumed...])
        // A scanner decides within its longest head, so the bytes behind that are not needed.
        let taken = min(rest.count, scanner.longestHead &- gathered.count)
        let before = gathered.count
        gathered.append(contentsOf: rest[..<taken])
        let result = gathered.withUnsafeBytes { bytes in
            Result { () throws(WireFault) in try scanner.scan(bytes) }
        }
        guard let length = try result.get() else {
            assert(taken == rest.count, "a head beyond all limits was not refused")
            consumed = input.count
            return nil
        }
        consumed &+= length &- before
        return length
    }

    /// Returns the head after `feed` returned its length.
    ///
    /// - Parameters:
    ///   - scanner: the scanner that `feed` used.
    ///   - length: what `feed` returned.
    ///   - input: the input of `feed`.
    ///   - end: the index in the input behind the head.
    @inline(__always)
    mutating func head<Scanner: HeadScanner>(
        _ scanner: inout Scanner, length: Int, _ input: UnsafeRawBufferPointer, end: Int
    ) throws(WireFault) -> Scanner.Head {
        guard gathered.isEmpty else { return try gatheredHead(&scanner, length) }
        return try scanner.head(
            of: UnsafeRawBufferPointer(rebasing: input[(end &- length)...]), length: length)
    }

    private mutating func gatheredHead<Scanner: HeadScanner>(
        _ scanner: inout Scanner, _ length: Int
    ) throws(WireFault) -> Scanner.Head {
        let block = gathered
        gathered = []
        let result = block.withUnsafeBytes { bytes in
            Result { () throws(WireFault) in try scanner.head(of: bytes, length: length) }
        }
        return try result.get()
    }
}
