public import HTTPModel
import Locking
@_spi(Demand) public import Rx

/// A response whose body is read piece by piece as it arrives. At most about 256 KiB are buffered; a slow
/// reader slows the upstream down.
///
///     let stream = try await provider.stream(.export)
///     for try await piece in stream { try file.write(contentsOf: piece) }
///
/// Iterate once, in one task: a second one that reads while the first waits fails with `ConcurrentReadError`.
/// Releasing the stream or cancelling its task ends the call.
public struct ResponseStream: AsyncSequence, Sendable {
    /// A piece of bytes.
    public typealias Element = ArraySlice<UInt8>

    /// A success: 2xx, or a status that the target's `validation` accepts.
    public let statusCode: Int
    /// The fields of the response in their original order.
    public let fields: HTTPFields
    private let reading: StreamReading

    fileprivate init(_ head: TransportResponse, _ reading: StreamReading) {
        statusCode = head.status.code
        fields = head.fields
        self.reading = reading
    }

    /// Returns an iterator. The bytes can be read once.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reading: reading) }

    /// Iterates over the pieces.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reading: StreamReading

        /// Returns the next piece; nil at the end.
        ///
        /// - Throws: `NetworkError`, `CancellationError`, `ConcurrentReadError`.
        public func next() async throws -> ArraySlice<UInt8>? { try await reading.buffer.next() }
    }
}

extension Provider {
    /// Performs the call and returns when the head of a 2xx response arrives. Throws other responses, with
    /// their bodies.
    ///
    /// Has no total time limit unless the target has a `timeout`; the limits of one attempt apply. A failed
    /// attempt is repeated only before the head arrives, because the head belongs to its body.
    ///
    /// - Throws: `NetworkError`; `CancellationError` if the task is cancelled. If it was cancelled before,
    ///   nothing is sent.
    public func stream(_ target: Target) async throws -> ResponseStream {
        try Task.checkCancellation()
        let call: TransportCall
        do {
            call = try prepare(target, isUnbounded: true)
        } catch {
            throw NetworkError(unbuilt: error, upstream: settings.name)
        }
        let buffer = StreamBuffer<TransportResponse>()
        // A plugin may cancel the task before it waits for the head.
        return try await withTaskCancellationHandler {
            let reading = StreamReading(buffer, settings(for: target).response(to: call, observer: buffer))
            return ResponseStream(try await buffer.head(), reading)
        } onCancel: {
            buffer.cancel()
        }
    }
}

extension Reactive {
    /// Emits the body of a 2xx response piece by piece as it arrives. Other responses are errors with their
    /// bodies.
    ///
    /// A task that iterates over `values` slows the upstream down: at most 16 pieces of 64 KiB are buffered,
    /// plus the pieces of one read. A subscriber receives the pieces on the loop as they arrive and blocks it
    /// while handling them.
    public func stream<Target: TargetType>(_ target: Target) -> Observable<ArraySlice<UInt8>>
    where Base == Provider<Target> {
        let call: TransportCall
        do {
            call = try base.prepare(target, isUnbounded: true)
        } catch {
            return .error(NetworkError(unbuilt: error, upstream: base.settings.name))
        }
        return base.pieces(of: call, to: target)
    }
}

extension Provider {
    /// Returns the body of the call's success, piece by piece.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - target: the call's target.
    ///   - demand: the demand of the reader. Default nil: of the reader that is subscribing, if any.
    ///   - began: receives the head of the success before its pieces.
    func pieces(
        of call: TransportCall, to target: Target, demand: Demand? = nil,
        began: @escaping @Sendable (TransportResponse) -> Void = { _ in }
    ) -> Observable<ArraySlice<UInt8>> {
        .create { [settings = settings(for: target)] observer in
            let pieces = PieceObserver(demand ?? Demand.current, observer, began)
            return settings.response(to: call, observer: pieces).map { try $0.checkStatusCode() }.subscribe(
                onSuccess: { response in
                    // A success that was not streamed.
                    if !pieces.hasStarted { began(response.raw) }
                    if !response.data.isEmpty { observer.onNext(response.data) }
                    observer.onCompleted()
                }, onFailure: { observer.onError($0) })
        }
    }
}

private final class PieceObserver: CallObserver {
    /// The demand of a task that reads the pieces; nil for a subscriber that takes all of them at once.
    private let demand: Demand?
    private let observer: AnyObserver<ArraySlice<UInt8>>
    private let began: @Sendable (TransportResponse) -> Void
    private let state = Lock((hasStarted: false, hasBegun: false))

    init(
        _ demand: Demand?, _ observer: AnyObserver<ArraySlice<UInt8>>,
        _ began: @escaping @Sendable (TransportResponse) -> Void
    ) {
        self.demand = demand
        self.observer = observer
        self.began = began
    }

    var isCancelled: Bool { observer.isStopped }

    /// Whether the head of a success has arrived.
    var hasStarted: Bool { state.withLock { $0.hasStarted } }

    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm {
        guard head.status.isSuccess else { return .whole }
        state.withLock { $0.hasStarted = true }
        began(head)
        demand?.hold(flow)
        return .pieces
    }

    func callReceived(_ piece: UnsafeRawBufferPointer) {
        state.withLock { $0.hasBegun = true }
        observer.onNext(ArraySlice(piece))
    }
}

extension Demand {
    /// Also pauses a response's body without demand.
    fileprivate func hold(_ flow: any FlowControl) {
        hold(Demand.Source(pause: { flow.pause() }, resume: { flow.resume() }))
    }
}

extension StreamBuffer: CallObserver where Head == TransportResponse {
    /// True from the head on, because the rest of the body must belong to it.
    package var hasBegun: Bool { hasHead }

    package func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm {
        guard head.status.isSuccess else { return .whole }
        began(head, pause: { flow.pause() }, resume: { flow.resume() })
        return .pieces
    }

    package func callReceived(_ piece: UnsafeRawBufferPointer) {
        if !piece.isEmpty { received(ArraySlice(piece)) }
    }

    fileprivate func ended(with response: Response) {
        do {
            let response = try response.checkStatusCode()
            // A success that was not streamed: the target accepts the status, or a plugin created the
            // response.
            if !hasHead {
                if !response.data.isEmpty { received(response.data) }
                began(response.raw)
            }
            ended()
        } catch {
            ended(error)
        }
    }
}

/// Owns a stream's call while the stream can be read.
private final class StreamReading: Sendable {
    let buffer: StreamBuffer<TransportResponse>
    private let subscription: any Disposable

    init(_ buffer: StreamBuffer<TransportResponse>, _ call: Single<Response>) {
        self.buffer = buffer
        subscription = call.subscribe(
            onSuccess: { buffer.ended(with: $0) }, onFailure: { buffer.ended($0) })
        buffer.began { [subscription] in subscription.dispose() }
    }

    deinit { subscription.dispose() }
}

// MARK: - Responses that are passed on

extension UpstreamCall {
    /// The call's method; nil if the call cannot be built.
    package var method: HTTPMethod? {
        switch content {
        case .target(let call): call.method
        case .path(let method, _, _): method
        case .fault: nil
        }
    }

    /// Whether the call has a body of its own.
    package var hasBody: Bool {
        if case .target(let call) = content { !call.body.isNone } else { false }
    }

    /// Where the call goes; nil if it cannot be built.
    package var upstream: Upstream? {
        switch content {
        case .target(let call): call.upstream
        case .path(_, _, let settings): settings.upstream
        case .fault: nil
        }
    }

    /// Path and query, percent-encoded; nil if the call cannot be built.
    package var path: ArraySlice<UInt8>? {
        switch content {
        case .target(let call): call.target
        case .path(_, let target, _): target[...]
        case .fault: nil
        }
    }

    /// Returns the call with the fields and the body of a client's request.
    ///
    /// The response comes as it is: its content codings are not decoded, and its total time is not limited.
    ///
    /// - Parameters:
    ///   - method: replaces the target's.
    ///   - passed: fields of the client. The target's own have precedence.
    ///   - body: sent if the target has none.
    ///   - context: the client's request.
    ///   - observer: receives the response.
    package func relayed(
        _ method: HTTPMethod, _ passed: HTTPFields, _ body: RequestBody, in context: CallContext,
        to observer: any CallObserver
    ) -> Single<TransportResponse> {
        do {
            try MethodRules.check(method, sentBody(body))
        } catch {
            return .error(NetworkError(unbuilt: error, upstream: provider.name))
        }
        switch content {
        case .target(let call):
            let fields = Self.ownFields(of: call).map { $0.adding(passed) } ?? passed
            return provider.relay(
                TransportCall(
                    relaying: method, call.target, fields, sentBody(body), in: context, call.settings,
                    CallOptions.relaying(call.options?.attemptLimits)), to: observer)
        case .path(_, let target, let settings):
            return provider.relay(
                TransportCall(relaying: method, target, passed, body, in: context, settings, .relaying),
                to: observer)
        case .fault(let fault):
            return .error(NetworkError(unbuilt: fault, upstream: provider.name))
        }
    }

    /// The body of the target, or else of the client's request.
    private func sentBody(_ body: RequestBody) -> RequestBody {
        if case .target(let call) = content, !call.body.isNone { call.body } else { body }
    }
}

extension Provider {
    /// Returns a call of the provider's configured upstream.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - target: the path, which includes the base URL's path, and the query, as they are sent. The caller
    ///     has checked them.
    package func call(_ method: HTTPMethod, at target: [UInt8]) -> UpstreamCall {
        UpstreamCall(settings, method, at: target)
    }
}
