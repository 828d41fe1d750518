public import HTTPModel
import Locking
@_spi(Demand) public import Rx

/// A response whose body is read piece by piece as it arrives. At most about 256 KiB are buffered; a slow reader slows
/// the upstream down.
///
///     let stream = try await provider.stream(.export)
///     for try await piece in stream { try file.write(contentsOf: piece) }
///
/// Iterate once, in one task. Releasing the stream or cancelling its task ends the call.
public struct ResponseStream: AsyncSequence, Sendable {
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

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reading: reading) }

    /// Iterates over the pieces.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reading: StreamReading

        /// Returns the next piece; nil at the end.
        ///
        /// - Throws: `NetworkError`, `CancellationError`.
        public func next() async throws -> ArraySlice<UInt8>? { try await reading.buffer.next() }
    }
}

extension Provider {
    /// Performs the call and returns when the head of a 2xx response arrives. Throws other responses, with their
    /// bodies.
    ///
    /// Has no total time limit unless the target has a `timeout`; the limits of one attempt apply. A failed attempt is
    /// repeated only before the head arrives, because the head belongs to its body.
    public func stream(_ target: Target) async throws -> ResponseStream {
        let call: TransportCall
        do {
            call = try prepare(target, isUnbounded: true)
        } catch {
            throw NetworkError(unbuilt: error, upstream: settings.name)
        }
        let buffer = StreamBuffer()
        let reading = StreamReading(buffer, settings(for: target).response(to: call, observer: buffer))
        return ResponseStream(try await buffer.head(), reading)
    }
}

extension Reactive {
    /// Emits the body of a 2xx response piece by piece as it arrives. Other responses are errors with their bodies.
    ///
    /// A task that iterates over `values` slows the upstream down: at most 16 pieces of 64 KiB are buffered, plus those
    /// of one read. A subscriber receives the pieces on the loop as they arrive and blocks it while handling them.
    public func stream<Target: TargetType>(_ target: Target) -> Observable<ArraySlice<UInt8>>
    where Base == Provider<Target> {
        let call: TransportCall
        do {
            call = try base.prepare(target, isUnbounded: true)
        } catch {
            return .error(NetworkError(unbuilt: error, upstream: base.settings.name))
        }
        return .create { [settings = base.settings(for: target)] observer in
            let pieces = PieceObserver(.current) { observer.onNext($0) }
            return settings.response(to: call, observer: pieces).map { try $0.checkStatusCode() }.subscribe(
                onSuccess: { response in
                    // A success that was not streamed.
                    if !response.data.isEmpty { observer.onNext(response.data) }
                    observer.onCompleted()
                }, onFailure: { observer.onError($0) })
        }
    }
}

private final class PieceObserver: CallObserver {
    /// The demand of a task that reads the pieces; nil for a subscriber that takes all of them at once.
    private let demand: Demand?
    private let emit: @Sendable (ArraySlice<UInt8>) -> Void
    private let begun = Lock(false)

    init(_ demand: Demand?, _ emit: @escaping @Sendable (ArraySlice<UInt8>) -> Void) {
        self.demand = demand
        self.emit = emit
    }

    var hasBegun: Bool { begun.withLock { $0 } }

    func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm {
        guard head.status.isSuccess else { return .whole }
        demand?.hold(flow)
        return .pieces
    }

    func callReceived(_ piece: UnsafeRawBufferPointer) {
        begun.withLock { $0 = true }
        emit(ArraySlice(piece))
    }
}

/// Owns a stream's call while the stream can be read.
private final class StreamReading: Sendable {
    let buffer: StreamBuffer
    private let subscription: any Disposable

    init(_ buffer: StreamBuffer, _ call: Single<Response>) {
        self.buffer = buffer
        subscription = call.subscribe(
            onSuccess: { buffer.ended(with: $0) }, onFailure: { buffer.failed($0) })
        buffer.began(subscription)
    }

    deinit { subscription.dispose() }
}
