import Dispatch
import EventIO
import Foundation
import Locking

/// A loop on a thread of its own, for one test.
func withLoop<Result>(_ body: (EventLoop) async throws -> Result) async throws -> Result {
    let group = try EventLoopGroup(count: 1, name: "test")
    do {
        let result = try await body(group.loops[0])
        await shutDown(group)
        return result
    } catch {
        await shutDown(group)
        throw error
    }
}

/// How long is waited for what comes as soon as the machine has time for it: longer than any test may last.
let patience = TimeAmount.seconds(300)

/// The timers that are set on `loop`.
func timerCount(of loop: EventLoop) async -> Int? {
    try? await loop.perform { loop.timerCount }
}

/// Off the cooperative threads, which must not block.
func shutDown(_ group: EventLoopGroup) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            group.shutdown()
            continuation.resume()
        }
    }
}

/// Events of a stream, to be awaited from outside the loop.
enum StreamEvent: Equatable, Sendable {
    case connected
    case received([UInt8])
    case reachedEnd
    case failed(SocketError)
    case drained
    case queued
    case flushed
    case peerLeft
}

/// Collects what a stream tells, joining bytes that follow each other.
final class Recorder: StreamHandler {
    let events: AsyncStream<StreamEvent>
    private let continuation: AsyncStream<StreamEvent>.Continuation
    var onEvent: ((StreamEvent) -> Void)?

    init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Stands in the stream of events for a moment of the test's.
    static let markEvent = StreamEvent.failed(SocketError(.badAddress, .address, subject: "mark"))

    func mark() { continuation.yield(Self.markEvent) }

    private func tell(_ event: StreamEvent) {
        onEvent?(event)
        continuation.yield(event)
    }

    func streamConnected() { tell(.connected) }
    func streamReceived(_ bytes: UnsafeRawBufferPointer) { tell(.received(Array(bytes))) }
    func streamReachedEnd() { tell(.reachedEnd) }
    func streamFailed(_ error: SocketError) { tell(.failed(error)) }
    func streamDrained() { tell(.drained) }
    func streamQueued() { tell(.queued) }
    func streamFlushed() { tell(.flushed) }
    func streamPeerLeft() { tell(.peerLeft) }
}

/// Echoes until the end, then ends too.
final class Echo: StreamHandler {
    let stream: SocketStream
    private var hasEnded = false

    init(_ stream: SocketStream) {
        self.stream = stream
    }

    func streamReceived(_ bytes: UnsafeRawBufferPointer) { stream.write(bytes) }
    func streamReachedEnd() {
        hasEnded = true
        stream.sendNow()
        if stream.queuedByteCount == 0 { stream.close() }
    }
    func streamFlushed() { if hasEnded { stream.close() } }
    func streamFailed(_ error: SocketError) {}
}
