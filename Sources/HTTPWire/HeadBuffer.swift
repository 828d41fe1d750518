/// Reads a head's lines from bytes that begin with the head's first byte.
protocol HeadScanner {
    associatedtype Head

    /// More bytes than this no head has that keeps the limits.
    var longestHead: Int { get }

    /// Goes on where the last call stopped; the bytes are those of the last call and maybe more. Gives the length
    /// of the head once it is whole, nil before.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(WireFault) -> Int?

    /// What the head says that was scanned to its end; the bytes may go on behind it.
    mutating func head(of bytes: UnsafeRawBufferPointer, length: Int) throws(WireFault) -> Head
}

/// Lets a scanner read a head where it stands, and gathers it only when it comes in pieces.
struct HeadBuffer {
    private var gathered: [UInt8] = []

    /// Whether nothing was gathered: the head begins in the input.
    var isEmpty: Bool { gathered.isEmpty }

    /// The length of the head once it is whole; nil, and all input consumed, before. What the head says is for `head` to
    /// give, which is to be asked then, and of the same input.
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
        // A scanner decides before it has seen more than its longest head, so what is left out here is not lost.
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

    /// What the head says of which `feed` gave the length: it ends in the input at `end`.
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
