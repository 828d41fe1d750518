import EventIO
import GatewayCore
import Rx

/// An endpoint's executors, which tell each loop whose tasks it runs.
struct LoopExecutors: EndpointExecutors {
    private let all: [LoopExecutor]

    /// - Parameters:
    ///   - endpoint: its name: `GET /products/{id}`.
    ///   - loops: the gateway's.
    ///   - mainQueueLog: learns of tasks that come from the main queue.
    init(_ endpoint: String, on loops: [EventLoop], _ mainQueueLog: MainQueueLog) {
        all = loops.map { LoopExecutor(endpoint, on: $0, mainQueueLog) }
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
    private let mainQueueLog: MainQueueLog

    init(_ endpoint: String, on loop: EventLoop, _ mainQueueLog: MainQueueLog) {
        codeName = endpoint
        self.loop = loop
        self.mainQueueLog = mainQueueLog
    }

    func enqueue(_ job: consuming ExecutorJob) {
        // A task that goes on from the main queue has called code of the main actor.
        if !loop.isCurrent, MainQueue.isCurrent { mainQueueLog.add(codeName) }
        loop.enqueue(UnownedJob(job), of: self)
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}
