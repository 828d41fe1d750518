extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Emits the elements of the sequence. Each subscription iterates it in its own task.
    ///
    /// An error fails the stream, but `CancellationError` completes it. Disposing the subscription cancels
    /// the task. Events are delivered on the task's executor.
    ///
    /// - Parameters:
    ///   - detached: A detached task inherits neither priority nor task-local values from the subscriber.
    ///   - priority: The task's priority. `nil` inherits it or, if detached, uses the default.
    public func asObservable(detached: Bool = false, priority: TaskPriority? = nil) -> Observable<Element> {
        Observable.create { observer in
            let operation: @Sendable () async -> Void = {
                do {
                    for try await element in self {
                        // Not every sequence checks for cancellation.
                        try Task.checkCancellation()
                        observer.onNext(element)
                    }
                    observer.onCompleted()
                } catch is CancellationError {
                    observer.onCompleted()
                } catch {
                    observer.onError(error)
                }
            }
            let task = subscriptionTask(detached, priority, operation)
            return Disposables.create { task.cancel() }
        }
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// Creates a single that runs `work` in a task for each subscription. Disposing the subscription cancels
    /// the task.
    ///
    /// - Parameters:
    ///   - detached: A detached task inherits neither priority nor task-local values from the subscriber.
    ///   - priority: The task's priority. `nil` inherits it or, if detached, uses the default.
    ///   - work: Returns the value. An error it throws fails the single.
    @_disfavoredOverload
    @preconcurrency
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil,
        work: @escaping @Sendable () async throws -> Element
    ) -> Single<Element> {
        Single.create { report in
            let operation: @Sendable () async -> Void = {
                do { report(.success(try await work())) } catch { report(.failure(error)) }
            }
            let task = subscriptionTask(detached, priority, operation)
            return Disposables.create { task.cancel() }
        }
    }
}

/// Starts a subscription's task. If it inherits the subscriber's context, it has an executor, as tasks that
/// belong to a `SubscriberContext` do.
private func subscriptionTask(
    _ detached: Bool, _ priority: TaskPriority?, _ operation: @escaping @Sendable () async -> Void
) -> Task<Void, Never> {
    detached
        ? Task.detached(priority: priority, operation: operation)
        : Task(executorPreference: globalConcurrentExecutor, priority: priority, operation: operation)
}
