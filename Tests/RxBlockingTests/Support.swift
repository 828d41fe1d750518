import Locking

struct Failure: Error {}

final class Log<Entry: Sendable>: Sendable {
    private let storage = Lock<[Entry]>([])

    func add(_ entry: Entry) {
        storage.withLock { $0.append(entry) }
    }

    var entries: [Entry] { storage.withLock { $0 } }
}
