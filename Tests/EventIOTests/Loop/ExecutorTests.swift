import EventIO
import Testing

@Suite("A loop as an executor", .timeLimit(.minutes(1)))
struct ExecutorTests {
    @Test("Tasks that prefer the loop run on it, before and after a suspension")
    func tasksPreferTheLoop() async throws {
        try await withLoop { loop in
            let places = await withTaskGroup(of: [Bool].self) { tasks in
                for _ in 0..<500 {
                    tasks.addTask(executorPreference: loop) {
                        let first = loop.isCurrent
                        await Task.yield()
                        return [first, loop.isCurrent]
                    }
                }
                return await tasks.reduce(into: [Bool]()) { $0 += $1 }
            }
            #expect(places == Array(repeating: true, count: 1000))
        }
    }

    @Test("A task that prefers the loop resumes on it after waiting for a task elsewhere")
    func taskComesBack() async throws {
        try await withLoop { loop in
            let isBack = await Task(executorPreference: loop) {
                let elsewhere = await Task.detached { loop.isCurrent }.value
                return !elsewhere && loop.isCurrent
            }.value
            #expect(isBack)
        }
    }
}
