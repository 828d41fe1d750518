/// Decides at each look at the files whether to read them again. A program may write a file in pieces, and a
/// part of a file may be a valid file, so a change counts once the next look finds nothing newer.
struct FileWatch: Sendable {
    /// Files that change at each of these looks are read anyway.
    static let mostLooks = 10

    /// What the look before found; nil if nothing had changed.
    private var earlier: FileStamps?
    private var looks = 0

    /// Whether the last look found a change that the next one has to confirm.
    var isWaiting: Bool { earlier != nil }

    /// Returns whether to read the files.
    ///
    /// - Parameters:
    ///   - found: the stamps of the files now.
    ///   - read: the stamps of the files that were read last.
    mutating func look(_ found: FileStamps, read: FileStamps) -> Bool {
        guard found != read else {
            self = FileWatch()
            return false
        }
        looks += 1
        guard found == earlier || looks == Self.mostLooks else {
            earlier = found
            return false
        }
        self = FileWatch()
        return true
    }
}
