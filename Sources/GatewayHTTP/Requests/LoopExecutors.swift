import EventIO
import GatewayCore
import Rx

/// The executors of an endpoint or a shared value, which tell each loop whose tasks it runs.
struct LoopExecutors: NamedExecutors {
    /// In the order of the loops.
    private let all: [LoopExecutor]

    /// - Parameters:
    ///   - name: `GET /products/{id}`.
    ///   - loops: the loops of a group.
    ///   - mainQueueLog: learns of tasks that come from the main queue.
    init(_ name: String, on loops: [EventLoop], _ mainQueueLog: MainQueueLog) {
        all = loops.map { LoopExecutor(name, on: $0, mainQueueLog) }
    }

    var current: (any TaskExecutor)? {
        // Not of another group, such as the admin listener's.
        guard let loop = EventLoop.current, loop.index < all.count, all[loop.index].loop === loop else {
            return nil
        }
        return all[loop.index]
    }

    func executor(of scheduler: any SchedulerType) -> (any TaskExecutor)? {
        let loop = scheduler as AnyObject
        return all.first { $0.loop === loop }
    }
}

/// Runs the tasks of an endpoint or a shared value on one loop.
private final class LoopExecutor: NamedExecutor {
    let codeName: String
    let loop: EventLoop
    private let mainQueueLog: MainQueueLog

    init(_ name: String, on loop: EventLoop, _ mainQueueLog: MainQueueLog) {
        codeName = name
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
