import EventIO
import Resilience

/// Lets the large files of one loop be read in turns, because each that is read holds memory. It has neither
/// files nor a clock.
///
/// A file whose client is slow gives up its turn, so clients that read slowly keep nobody waiting. Of the
/// files that wait, one whose client has the fewest turns is next. The number of open files is bounded, too,
/// and divided among clients in fair shares.
struct FileTurns<Reader: AnyObject> {
    private let places: Int
    /// Files that are being read, by client.
    private var turns: [AddressPrefix: Int] = [:]
    private var turnCount = 0
    private var waiting: [(reader: Reader, client: AddressPrefix)] = []
    private var open: FairShares<AddressPrefix>

    /// - Parameters:
    ///   - places: files that are read at once.
    ///   - open: files that are open at once.
    init(places: Int, open: Int) {
        self.places = places
        self.open = FairShares(capacity: places == 0 ? 0 : open)
    }

    /// Counts an open file. Returns false if its client has its share.
    mutating func opened(by client: AddressPrefix) -> Bool { open.take(for: client) }

    mutating func closed(by client: AddressPrefix) { open.giveBack(by: client) }

    /// Whether a file waits for its turn.
    var isAwaited: Bool { !waiting.isEmpty }

    /// Returns true if the turn begins now. Otherwise the file waits, until `turnEnded` returns it.
    mutating func awaitTurn(_ reader: Reader, of client: AddressPrefix) -> Bool {
        guard turnCount < places else {
            waiting.append((reader, client))
            return false
        }
        begin(client)
        return true
    }

    /// Ends a turn, and returns the file whose turn begins now.
    mutating func turnEnded(by client: AddressPrefix) -> Reader? {
        turnCount -= 1
        let left = (turns[client] ?? 1) - 1
        turns[client] = left == 0 ? nil : left
        let next = waiting.indices.min { (turns[waiting[$0].client] ?? 0) < (turns[waiting[$1].client] ?? 0) }
        guard let next else { return nil }
        let (reader, client) = waiting.remove(at: next)
        begin(client)
        return reader
    }

    /// The file waits no longer.
    mutating func leave(_ reader: Reader) {
        waiting.removeAll { $0.reader === reader }
    }

    private mutating func begin(_ client: AddressPrefix) {
        turnCount += 1
        turns[client, default: 0] += 1
    }
}
