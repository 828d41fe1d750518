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

    var isEmpty: Bool { gathered.isEmpty }

    /// The head once it is whole; nil, and all input consumed, before.
    @inline(__always)
    mutating func feed<Scanner: HeadScanner>(
        _ scanner: inout Scanner, _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(WireFault) -> Scanner.Head? {
        guard gathered.isEmpty else { return try gather(&scanner, input, &consumed) }
        let rest = UnsafeRawBufferPointer(rebasing: input[consumed...])
        guard let length = try scanner.scan(rest) else {
            gathered.append(contentsOf: rest)
            consumed = input.count
            return nil
        }
        consumed &+= length
        return try scanner.head(of: rest, length: length)
    }

    private mutating func gather<Scanner: HeadScanner>(
        _ scanner: inout Scanner, _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(WireFault) -> Scanner.Head? {
        let rest = UnsafeRawBufferPointer(rebasing: input[consumed...])
        // A scanner decides before it has seen more than its longest head, so what is left out here is not lost.
        let taken = min(rest.count, scanner.longestHead &- gathered.count)
        var block = gathered
        gathered = []
        let before = block.count
        block.append(contentsOf: rest[..<taken])
        let result = block.withUnsafeBytes { bytes in
            Result { () throws(WireFault) -> (Scanner.Head, length: Int)? in
                guard let length = try scanner.scan(bytes) else { return nil }
                let head = try scanner.head(of: bytes, length: length)
                return (head, length)
            }
        }
        guard let (head, length) = try result.get() else {
            assert(taken == rest.count, "a head beyond all limits was not refused")
            gathered = block
            consumed = input.count
            return nil
        }
        consumed &+= length &- before
        return head
    }
}
