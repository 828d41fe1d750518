public import Foundation
public import Rx

/// A scheduler that runs each action as an operation on an `OperationQueue`.
///
/// An action that is disposed before its operation starts does not run. The queue's `maxConcurrentOperationCount` decides how
/// many actions run at the same time.
public final class OperationQueueScheduler: ImmediateSchedulerType {
    /// The queue that runs the actions.
    public let operationQueue: OperationQueue
    /// The priority of each operation.
    public let queuePriority: Operation.QueuePriority

    public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
        self.operationQueue = operationQueue
        self.queuePriority = queuePriority
    }

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
