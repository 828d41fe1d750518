import Locking
import Rx

/// Entries from any thread, in the order they were added.
final class Log<Entry: Sendable>: Sendable {
    private let storage = Lock<[Entry]>([])

    func add(_ entry: Entry) {
        storage.withLock { $0.append(entry) }
    }

    var entries: [Entry] { storage.withLock { $0 } }
}

extension Log where Entry == String {
    /// Subscribes and logs every event.
    func record<Element>(_ source: Observable<Element>) -> any Disposable {
        source.subscribe(
            onNext: { self.add("\($0)") }, onError: { self.add("error \($0)") },
            onCompleted: { self.add("done") })
    }
}

/// Returns the events of a synchronous stream.
func events<Element>(_ source: Observable<Element>) -> [String] {
    let log = Log<String>()
    _ = log.record(source)
    return log.entries
}

/// An instance that a `Census` counts while it is alive.
final class Tracked: Sendable {
    private let census: Census

    init(_ census: Census) {
        self.census = census
        census.add(1)
    }

    deinit {
        census.add(-1)
    }
}

final class Census: Sendable {
    private let count = Lock(0)

    func add(_ change: Int) {
        count.withLock { $0 += change }
    }

    var alive: Int { count.withLock { $0 } }
}

/// A locked value that closures of several tasks can capture.
final class Shared<State: Sendable>: Sendable {
    private let lock: Lock<State>

    init(_ state: State) {
        lock = Lock(state)
    }

    func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        lock.withLock { state in
            var copy = state
            let result = body(&copy)
            state = copy
            return result
        }
    }
}
