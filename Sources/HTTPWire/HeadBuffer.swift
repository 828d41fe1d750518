protocol HeadScanner {
    associatedtype Head

    /// The maximum length of a head in bytes.
    var longestHead: Int { get }

    /// Continues where the last call stopped.
    ///
    /// - Parameter bytes: the head from its first byte, including the bytes of the last call.
    /// - Returns: the length of the head; nil if it is incomplete.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(WireFault) -> Int?

    /// Returns the completely scanned head. Further bytes may follow it.
    mutating func head(of bytes: UnsafeRawBufferPointer, length: Int) throws(WireFault) -> Head
}

/// Lets a scanner read a head in place, and gathers it only if it arrives in pieces.
struct HeadBuffer {
    private var gathered: [UInt8] = []

    var isEmpty: Bool { gathered.isEmpty }

    /// Scans the input and returns the length of the head. Nil if it is incomplete; then all input is
    /// consumed. If it is complete, call `head` with the same input.
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
        // A scanner decides within its longest head, so no further bytes are needed.
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

    /// Returns the head after `feed` has returned its length.
    ///
    /// - Parameters:
    ///   - scanner: the scanner passed to `feed`.
    ///   - length: the length returned by `feed`.
    ///   - input: the input passed to `feed`.
    ///   - end: the index after the head in the input.
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
