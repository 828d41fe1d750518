import HTTPModel
public import Rx

/// The progress of a call (Moya's `ProgressResponse`).
public struct ProgressResponse: Sendable {
    /// The direction of the transfer.
    public enum Direction: Sendable, Hashable {
        /// The request's body.
        case upload
        /// The response's body.
        case download
    }

    /// Which body is counted.
    public let direction: Direction
    /// Number of bytes transferred so far, with content codings decoded.
    public let completed: Int64
    /// Total number of bytes; nil if unknown.
    public let total: Int64?
    /// The response; nil until the call is complete.
    public let response: Response?

    /// From 0 to 1. If the total is unknown, 0 until the call is complete.
    public var progress: Double {
        if response != nil { return 1 }
        guard let total, total > 0 else { return 0 }
        return min(1, Double(completed) / Double(total))
    }

    /// Whether the call is complete.
    public var isCompleted: Bool { response != nil }
}

extension ObservableType where Element == ProgressResponse {
    /// Emits only the response.
    public consuming func filterCompleted() -> Observable<Response> { compactMap(\.response) }

    /// Emits only the progress, from 0 to 1. Omits the last element.
    public consuming func filterProgress() -> Observable<Double> {
        compactMap { $0.isCompleted ? nil : $0.progress }
    }
}

extension Reactive {
    /// A call that emits the progress of the request body, then of the response body, and last the response.
    /// Otherwise like `request(_:)`. Progress restarts when an attempt is repeated.
    public func requestWithProgress<Target: TargetType>(_ target: Target) -> Observable<ProgressResponse>
    where Base == Provider<Target> {
        base.progress(target) { _ in .whole }
    }

    /// A call that writes the body of a 2xx to a file without holding it in memory. Other responses keep
    /// their bodies. The file gets its name when it is complete. A failed or disposed call leaves no file,
    /// unless the file was just being named.
    ///
    /// An existing regular file is replaced, also one behind a symbolic link. The new file gets its
    /// permissions, and its owner and group if the process may set them. Anything else (a device, a pipe, a
    /// link to a missing file) stays, and the call fails with `internalError`.
    ///
    /// Has no total time limit unless the target has a `timeout`; the limits of one attempt apply.
    ///
    /// - Parameters:
    ///   - target: the target.
    ///   - path: path of the file. Its directory must exist. A path with NUL fails the call before anything
    ///     is sent.
    public func download<Target: TargetType>(_ target: Target, to path: String) -> Observable<
        ProgressResponse
    >
    where Base == Provider<Target> {
        // C would end the path at the NUL and write another file.
        guard !path.utf8.contains(0) else {
            return .error(
                NetworkError(
                    kind: .networkFail, reason: .requestError, message: "the path of the file contains NUL",
                    upstream: base.settings.name, call: nil, underlying: nil, attempts: 0, elapsed: .zero,
                    isRetryable: false))
        }
        return base.progress(target, isUnbounded: true) { head in
            (200..<300).contains(head.status.code) ? .file(path: path) : .whole
        }
    }
}

extension Provider {
    /// Performs the call of `rx.requestWithProgress(_:)`. Cancelling the task or ending the iteration cancels
    /// the call.
    public func requestWithProgress(_ target: Target) -> AsyncThrowingStream<ProgressResponse, any Error> {
        rx.requestWithProgress(target).values
    }

    /// Performs the call of `rx.download(_:to:)`. Cancelling the task cancels the call.
    ///
    /// - Returns: the response, without data if the body was written to the file.
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
            let reporter = ProgressReporter(form, observer)
            return settings.response(to: call, observer: reporter).subscribe(
                onSuccess: {
                    observer.onNext(reporter.last($0))
                    observer.onCompleted()
                }, onFailure: { observer.onError($0) })
        }
    }
}
