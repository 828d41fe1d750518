/// Reads a head's lines from bytes that begin with the head's first byte.
protocol HeadScanner {
    /// More bytes than this no head has that keeps the limits.
    var longestHead: Int { get }

    /// Goes on where the last call stopped; the bytes are those of the last call and maybe more. Gives the length
    /// of the head once it is whole, nil before.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(WireFault) -> Int?
}

/// Lets a scanner read a head where it stands, and gathers it only when it comes in pieces.
struct HeadBuffer {
    private var gathered: [UInt8] = []

    var isEmpty: Bool { gathered.isEmpty }

    /// The bytes of the head in a block of their own once it is whole; nil, and all input consumed, before.
    mutating func feed(
        _ scanner: inout some HeadScanner, _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(WireFault) -> [UInt8]? {
        let rest = UnsafeRawBufferPointer(rebasing: input[consumed...])
        if gathered.isEmpty {
            guard let length = try scanner.scan(rest) else {
                gathered.append(contentsOf: rest)
                consumed = input.count
                return nil
            }
            consumed &+= length
            return Self.copy(UnsafeRawBufferPointer(rebasing: rest[..<length]))
        }
        // A scanner decides before it has seen more than its longest head, so what is left out here is not lost.
        let taken = min(rest.count, scanner.longestHead &- gathered.count)
        var block = gathered
        gathered = []
        block.append(contentsOf: rest[..<taken])
        let before = block.count &- taken
        guard let length = try Self.scan(block, &scanner) else {
            assert(taken == rest.count, "a head beyond all limits was not refused")
            gathered = block
            consumed = input.count
            return nil
        }
        consumed &+= length &- before
        block.removeLast(block.count &- length)
        return block
    }

    private static func scan(_ block: [UInt8], _ scanner: inout some HeadScanner) throws(WireFault) -> Int? {
        let result = block.withUnsafeBytes { bytes in
            Result { () throws(WireFault) in try scanner.scan(bytes) }
        }
        return try result.get()
    }

    private static func copy(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        // Not `unsafeUninitializedCapacity`, whose allocation is not specialized.
        var block: [UInt8] = []
        block.reserveCapacity(bytes.count)
        block.append(contentsOf: bytes)
        return block
    }
}
