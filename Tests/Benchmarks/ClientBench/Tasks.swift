import FoundationEssentials
import HTTPModel
import Networking
import NetworkingSession

/// Makes calls from concurrent tasks over several loops and shows how the loops share the work.
enum Tasks {
    /// Prints requests per second, then each loop's CPU time divided by all requests, in microseconds.
    static func run(_ url: HTTPURL, count: Int, tasks: Int, length: Int, loops: Int) async throws {
        var configuration = Session.Configuration()
        configuration.loops = loops
        configuration.connections.proxy = .none
        let session = try Session(configuration)
        let request = HTTPRequest(url: "\(url)")
        try await call(session, request, count: 10 * tasks, tasks: tasks, length: length)
        let before = loopTimes()
        let clock = ContinuousClock.now
        try await call(session, request, count: count, tasks: tasks, length: length)
        let seconds = (ContinuousClock.now - clock) / .seconds(1)
        let after = loopTimes()
        print(Double(count) / seconds, terminator: "")
        for (thread, nanoseconds) in after.sorted(by: { $0.key < $1.key }) {
            print("", Double(nanoseconds - (before[thread] ?? 0)) / 1000 / Double(count), terminator: "")
        }
        print()
        session.close()
    }

    private static func call(
        _ session: Session, _ request: HTTPRequest, count: Int, tasks: Int, length: Int
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    for _ in 0..<count / tasks {
                        let received = try await session.request(request).data.count
                        guard received == length else { fail("wrong body length: \(received)") }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// CPU time of the session's threads in nanoseconds (/proc/PID/task/TID/schedstat, proc(5)).
    private static func loopTimes() -> [String: Int] {
        let folder = "/proc/self/task"
        var times: [String: Int] = [:]
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let name = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)
            let spent = try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)
            guard let name, name.hasPrefix("session"), let first = spent?.split(separator: " ").first else {
                continue
            }
            times[thread] = Int(first)
        }
        return times
    }
}
