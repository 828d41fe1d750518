import EventIO
import GatewayCore

/// An endpoint's executors, which tell each loop whose tasks it runs.
struct LoopExecutors: EndpointExecutors {
    private let all: [LoopExecutor]

    /// - Parameter endpoint: its name: `GET /products/{id}`.
    init(_ endpoint: String, on loops: [EventLoop]) {
        all = loops.map { LoopExecutor(endpoint, on: $0) }
    }

    var current: (any TaskExecutor)? {
        guard let loop = EventLoop.current else { return nil }
        return all.first { $0.loop === loop }
    }
}

/// Runs the tasks of an endpoint on one loop.
private final class LoopExecutor: NamedExecutor {
    let codeName: String
    let loop: EventLoop

    init(_ endpoint: String, on loop: EventLoop) {
        codeName = endpoint
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) { loop.enqueue(UnownedJob(job), of: self) }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}
