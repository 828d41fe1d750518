public import Foundation
public import Rx

/// Runs each action as an operation on an `OperationQueue`. An action that is disposed before it starts does
/// not run. The queue's `maxConcurrentOperationCount` limits how many run in parallel.
public final class OperationQueueScheduler: ImmediateSchedulerType {
    /// The queue that runs the work.
    public let operationQueue: OperationQueue
    /// The priority of the operations.
    public let queuePriority: Operation.QueuePriority

    /// Creates a scheduler on an operation queue.
    public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
        self.operationQueue = operationQueue
        self.queuePriority = queuePriority
    }

    /// Runs work as an operation of the queue. Disposing of the result cancels it.
    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let pending = SingleAssignmentDisposable()
        let operation = BlockOperation {
            if !pending.isDisposed { pending.setDisposable(action(state)) }
        }
        operation.queuePriority = queuePriority
        operationQueue.addOperation(operation)
        return pending
    }
}
