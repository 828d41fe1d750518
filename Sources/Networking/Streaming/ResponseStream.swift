public import HTTPModel
import Locking
@_spi(Demand) public import Rx

/// A response whose body is read as it comes, piece by piece: however long it is, no more than some 256 KiB of it wait here. An
/// upstream that is quicker than its reader is slowed down.
///
///     let stream = try await provider.stream(.export)
///     for try await piece in stream { try file.write(contentsOf: piece) }
///
/// To be read once, by one task. A stream that is let go of, or whose task is cancelled, ends its call.
public struct ResponseStream: AsyncSequence, Sendable {
    public typealias Element = ArraySlice<UInt8>

    /// A success: 200 to 299, or what the target's `validation` takes.
    public let statusCode: Int
    /// Those of the head, in their order.
    public let fields: HTTPFields
    private let reading: StreamReading

    fileprivate init(_ head: TransportResponse, _ reading: StreamReading) {
        statusCode = head.status.code
        fields = head.fields
        self.reading = reading
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reading: reading) }

    /// Reads the pieces one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reading: StreamReading

        /// The next piece; nil at the end.
        ///
        /// - Throws: `NetworkError`, `CancellationError`.
        public func next() async throws -> ArraySlice<UInt8>? { try await reading.buffer.next() }
    }
}

extension Provider {
    /// Makes the call and gives its response as soon as the head of a 2xx is there. Other answers are errors, with their bodies.
    ///
    /// Within no time in all unless the target has a `timeout`; the limits of one attempt hold. A call is made again after a
    /// failure only as long as no such head has come: its fields belong to its body.
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
    /// The body of a 2xx piece by piece, as it comes; other answers are errors, with their bodies.
    ///
    /// A task that iterates over its `values` slows the upstream down: at most 16 pieces of 64 KiB wait for the task, and what
    /// one read gave. A subscriber gets every piece on the loop as it comes, and one that takes its time holds up the loop.
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
                    // A success that did not come as a stream.
                    if !response.data.isEmpty { observer.onNext(response.data) }
                    observer.onCompleted()
                }, onFailure: { observer.onError($0) })
        }
    }
}

/// Hands pieces on.
private final class PieceObserver: CallObserver {
    /// Of a task that reads the pieces; nil where a subscriber takes them as they come.
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

/// The call of a stream, for as long as somebody could read it.
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
