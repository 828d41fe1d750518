import JSONBytes
public import Rx

/// The sources that parts are made of.
enum PartSource {
    /// What is known already, or why it cannot be had.
    static func of(_ value: () throws -> JSONFragment) -> Single<JSONFragment> {
        do {
            return .just(try value())
        } catch {
            return .error(error)
        }
    }

    /// Runs `work` in a task for each subscription, on the scheduler's thread where that is an executor; disposal cancels
    /// the task.
    static func task(
        _ work: @escaping @Sendable () async throws -> JSONFragment, on scheduler: any SchedulerType
    ) -> Single<JSONFragment> {
        .create { observer in
            let task = Task(executorPreference: scheduler as? any TaskExecutor) {
                do {
                    observer(.success(try await work()))
                } catch {
                    observer(.failure(error))
                }
            }
            return Disposables.create(with: task.cancel)
        }
    }

    /// The first value of a stream, after which the stream is disposed; `null` where it ends without one.
    static func first<Element: JSONRepresentable>(of stream: Observable<Element>) -> Single<JSONFragment> {
        .create { observer in
            stream.subscribe(
                onNext: { value in observer(Result { try value.jsonFragment() }) },
                onError: { observer(.failure($0)) },
                onCompleted: { observer(.success(.null)) })
        }
    }
}

extension Part.Source {
    /// What the part is awaited by.
    consuming func single(on scheduler: any SchedulerType) -> Single<JSONFragment> {
        switch consume self {
        case .single(let single): single
        case .task(let work): PartSource.task(work, on: scheduler)
        }
    }
}

extension PrimitiveSequence: PartConvertible where Trait == SingleTrait, Element: JSONRepresentable {
    public func asPart() -> Part { Element.part(of: self) }

    /// A part whose failure leaves it `null` and makes the answer `PARTIAL`.
    public func optional() -> Part { asPart().optional() }

    /// A part whose failure puts `value` in its place and makes the answer `PARTIAL`.
    public func fallback(_ value: some JSONRepresentable) -> Part { asPart().fallback(value) }
}

/// The stream's first value is the part; a stream that ends without one is a part without content.
extension Observable: PartConvertible where Element: JSONRepresentable {
    public func asPart() -> Part { Part(source: PartSource.first(of: self)) }

    /// A part whose failure leaves it `null` and makes the answer `PARTIAL`.
    public func optional() -> Part { asPart().optional() }

    /// A part whose failure puts `value` in its place and makes the answer `PARTIAL`.
    public func fallback(_ value: some JSONRepresentable) -> Part { asPart().fallback(value) }
}
