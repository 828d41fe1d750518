/// Separates lines after an incomplete write, which may happen on a full disk.
struct LogOutput {
    private static let lineFeed = UInt8(ascii: "\n")

    private var isWithinLine = false
    private var beganWithLineFeed = false

    /// Ends the line that the last batch left incomplete, if any.
    mutating func begin(_ batch: inout [UInt8]) {
        beganWithLineFeed = isWithinLine && !batch.isEmpty
        if beganWithLineFeed { batch.insert(Self.lineFeed, at: 0) }
    }

    /// Returns how many lines of a batch, as `begin` left it, are lost or cut if only `count` bytes were
    /// written.
    mutating func lostLines(of batch: [UInt8], written count: Int) -> Int {
        if count > 0 { isWithinLine = batch[count - 1] != Self.lineFeed }
        let ends = batch[count...].count { $0 == Self.lineFeed }
        return count == 0 && beganWithLineFeed ? ends - 1 : ends
    }
}
