import Locking
import RxCompatibility
import RxTesting
import Testing

struct TestError: Error, CustomStringConvertible {
    var description: String { "failed" }
}

/// Entries from any thread, in the order they were added.
final class Log: Sendable {
    private let storage = Lock<[String]>([])

    func add(_ entry: String) {
        storage.withLock { $0.append(entry) }
    }

    var entries: [String] { storage.withLock { $0 } }

    /// Subscribes and logs every event.
    func record<Element>(_ source: Observable<Element>) -> any Disposable {
        source.subscribe(
            onNext: { self.add("\($0)") }, onError: { self.add("error \($0)") },
            onCompleted: { self.add("done") })
    }
}

/// The events of a synchronous stream.
func events<Element>(_ source: Observable<Element>) -> [String] {
    let log = Log()
    _ = log.record(source)
    return log.entries
}
