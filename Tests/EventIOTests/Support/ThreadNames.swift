import Foundation
import TestSupport

/// Counts the threads of this process with that name.
func threadCount(named name: String) -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.count { task in
        (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == name + "\n"
    }
}

/// Waits until at most so many threads have that name.
func threadsEnd(named name: String, upTo count: Int = 0) async throws {
    try await poll(while: threadCount(named: name) > count) { "\(threadCount(named: name)) threads \(name)" }
}
