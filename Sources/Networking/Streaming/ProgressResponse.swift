import HTTPModel
public import Rx

/// How far a call is (Moya's `ProgressResponse`).
public struct ProgressResponse: Sendable {
    /// Which way the bytes go.
    public enum Direction: Sendable, Hashable {
        /// The request's body.
        case upload
        /// The response's body.
        case download
    }

    /// Of the bytes that are counted.
    public let direction: Direction
    /// Bytes of the body so far, content codings undone.
    public let completed: Int64
    /// Bytes in all; nil where nobody said.
    public let total: Int64?
    /// With the last one, when the call is over.
    public let response: Response?

    /// From 0 to 1; 0 where the total is not known, until the call is over.
    public var progress: Double {
        if response != nil { return 1 }
        guard let total, total > 0 else { return 0 }
        return min(1, Double(completed) / Double(total))
    }

    /// Whether the call is over.
    public var isCompleted: Bool { response != nil }
}

extension ObservableType where Element == ProgressResponse {
    /// The response alone, when it is there.
    public consuming func filterCompleted() -> Observable<Response> { compactMap(\.response) }

    /// The progress alone, from 0 to 1, without the last one.
    public consuming func filterProgress() -> Observable<Double> {
        compactMap { $0.isCompleted ? nil : $0.progress }
    }
}

extension Reactive {
    /// A call that tells how far it is: first the body that is sent, then the one that comes, last the response; then it
    /// completes. Else as `request(_:)`. Progress begins anew where the call is made again.
    public func requestWithProgress<Target: TargetType>(_ target: Target) -> Observable<ProgressResponse>
    where Base == Provider<Target> {
        base.progress(target) { _ in .whole }
    }

    /// A call whose 2xx goes to a file, as large as it may be, without being held in memory; other answers are responses with
    /// their bodies. The file appears under its name when it is whole, in the place of one that was there, and nothing is left
    /// behind when the call fails or is disposed of.
    ///
    /// Within no time in all unless the target has a `timeout`; the limits of one attempt hold.
    ///
    /// - Parameter path: of the file; its folder has to be there. One with a NUL fails the call before anything is sent.
    public func download<Target: TargetType>(_ target: Target, to path: String) -> Observable<
        ProgressResponse
    >
    where Base == Provider<Target> {
        // To C the name would end there, and be another file's.
        guard !path.utf8.contains(0) else {
            return .error(
                NetworkError(
                    kind: .networkFail, reason: .requestError, message: "the file's path has a NUL",
                    upstream: base.settings.name, call: nil, underlying: nil, attempts: 0, elapsed: .zero,
                    isRetryable: false))
        }
        return base.progress(target, isUnbounded: true) { head in
            (200..<300).contains(head.status.code) ? .file(path: path) : .whole
        }
    }
}

extension Provider {
    /// The call of `rx.requestWithProgress(_:)`, cancelled with the task or with the loop over it.
    public func requestWithProgress(_ target: Target) -> AsyncThrowingStream<ProgressResponse, any Error> {
        rx.requestWithProgress(target).values
    }

    /// The call of `rx.download(_:to:)`, cancelled with the task.
    ///
    /// - Returns: the response; its data is empty where it went to the file.
    public func download(_ target: Target, to path: String) async throws -> Response {
        try await rx.download(target, to: path).filterCompleted().asSingle().value
    }

    fileprivate func progress(
        _ target: Target, isUnbounded: Bool = false,
        form: @escaping @Sendable (TransportResponse) -> BodyForm
    ) -> Observable<ProgressResponse> {
        let call: TransportCall
        do {
            call = try prepare(target, isUnbounded: isUnbounded)
        } catch {
            return .error(NetworkError(unbuilt: error, upstream: settings.name))
        }
        return .create { [settings = settings(for: target)] observer in
            let reporter = ProgressReporter(form) { observer.onNext($0) }
            return settings.response(to: call, observer: reporter).subscribe(
                onSuccess: {
                    observer.onNext(reporter.last($0))
                    observer.onCompleted()
                }, onFailure: { observer.onError($0) })
        }
    }
}
