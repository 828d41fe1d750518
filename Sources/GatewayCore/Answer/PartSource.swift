public import JSONBytes
public import Rx

/// Makes the singles that parts run.
enum PartSource {
    static func of(_ value: () throws -> JSONFragment) -> Single<JSONFragment> {
        do {
            return .just(try value())
        } catch {
            return .error(error)
        }
    }

    /// Runs `work` in a task that prefers this executor. Disposal cancels the task.
    static func task(
        _ work: @escaping @Sendable () async throws -> JSONFragment, on executor: any TaskExecutor
    ) -> Single<JSONFragment> {
        .create { observer in
            let task = Task(executorPreference: executor) {
                do {
                    observer(.success(try await work()))
                } catch {
                    observer(.failure(error))
                }
            }
            return Disposables.create(with: task.cancel)
        }
    }

    /// A single of a stream's first value, after which the stream is disposed; `null` if the stream has no
    /// value.
    static func first<Element: JSONRepresentable>(of stream: Observable<Element>) -> Single<JSONFragment> {
        .create { observer in
            stream.subscribe(
                onNext: { value in observer(Result { try value.jsonFragment() }) },
                onError: { observer(.failure($0)) },
                onCompleted: { observer(.success(.null)) })
        }
    }
}

/// A source of JSON values that may fail as a part: a `Single`, or an `Observable`.
public protocol FalliblePart: PartConvertible {}

extension PrimitiveSequence: PartConvertible, FalliblePart
where Trait == SingleTrait, Element: JSONRepresentable {
    /// Returns it as a part of an answer.
    public func asPart() -> Part { Element.part(of: self) }
}

/// The part is the stream's first value, or has no content if the stream is empty.
extension Observable: PartConvertible, FalliblePart where Element: JSONRepresentable {
    /// Returns it as a part of an answer.
    public func asPart() -> Part { Part(source: PartSource.first(of: self)) }
}

extension FalliblePart {
    /// Returns an optional part: if it fails, it becomes `null` and the answer `PARTIAL`.
    public func optional() -> Part { asPart().optional() }

    /// Returns a part with a fallback: if it fails, `value` replaces it and the answer becomes `PARTIAL`.
    @_disfavoredOverload
    public func fallback(_ value: some JSONRepresentable) -> Part { asPart().fallback(value) }

    /// Returns a part with a literal as its fallback: `[]`, `["available": nil]`.
    public func fallback(_ value: JSONLiteral) -> Part { asPart().fallback(value) }

    /// Returns a part with JSON text as its fallback. Text that is not JSON fails the part even if the
    /// upstream answers.
    public func fallback(json text: String) -> Part { asPart().fallback(json: text) }
}
