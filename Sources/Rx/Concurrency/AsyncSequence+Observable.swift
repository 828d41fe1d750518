extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// The values of the sequence, iterated anew for each subscription by a task. What it throws is the error, but
    /// `CancellationError` the completion. Disposing cancels the task.
    ///
    /// - Parameters:
    ///   - detached: whether the task takes nothing over from where it is subscribed to, as its priority and task-local values.
    ///   - priority: the task's; `nil` is that of where it is subscribed to, or, detached, the default.
    public func asObservable(detached: Bool = false, priority: TaskPriority? = nil) -> Observable<Element> {
        Observable.create { observer in
            let operation: @Sendable () async -> Void = {
                do {
                    for try await element in self {
                        // A sequence that does not look for it itself is left at its next value.
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
            let task =
                detached
                ? Task.detached(priority: priority, operation: operation)
                : Task(priority: priority, operation: operation)
            return Disposables.create { task.cancel() }
        }
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// What `work` returns or throws, in a task for each subscription, which disposing cancels.
    ///
    /// - Parameters:
    ///   - detached: whether the task takes nothing over from where it is subscribed to, as its priority and task-local values.
    ///   - priority: the task's; `nil` is that of where it is subscribed to, or, detached, the default.
    ///   - work: what to do for each subscription; what it throws is the error.
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
            let task =
                detached
                ? Task.detached(priority: priority, operation: operation)
                : Task(priority: priority, operation: operation)
            return Disposables.create { task.cancel() }
        }
    }
}
