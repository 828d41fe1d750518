import Foundation

/// A folder of its own for one test, removed with its last reference.
final class Scratch: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "sluice-diary-\(UUID().uuidString)"
    }

    var file: String { path + "/diary.sqlite3" }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
