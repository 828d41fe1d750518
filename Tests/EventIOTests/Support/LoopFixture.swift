import Dispatch
import EventIO
import Foundation
import Locking
import TestSupport

/// Runs `body` with a loop on its own thread.
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

/// A timeout for events that come as soon as the machine allows, longer than any test may take.
let patience = TimeAmount.seconds(300)

/// The number of timers set on `loop`.
func timerCount(of loop: EventLoop) async -> Int? {
    try? await loop.perform { loop.timerCount }
}

/// Shuts the group down on a thread that may block.
func shutDown(_ group: EventLoopGroup) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            group.shutdown()
            continuation.resume()
        }
    }
}

/// Events of a stream, for tests outside of its loop.
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

/// Collects the events of a stream.
final class Recorder: StreamHandler {
    let events = Inbox<StreamEvent>()
    var onEvent: ((StreamEvent) -> Void)?

    /// A marker that a test can add to the events.
    static let markEvent = StreamEvent.failed(SocketError(.badAddress, .address, subject: "mark"))

    func mark() { events.put(Self.markEvent) }

    private func record(_ event: StreamEvent) {
        onEvent?(event)
        events.put(event)
    }

    func streamConnected() { record(.connected) }
    func streamReceived(_ bytes: UnsafeRawBufferPointer) { record(.received(Array(bytes))) }
    func streamReachedEnd() { record(.reachedEnd) }
    func streamFailed(_ error: SocketError) { record(.failed(error)) }
    func streamDrained() { record(.drained) }
    func streamQueued() { record(.queued) }
    func streamFlushed() { record(.flushed) }
    func streamPeerLeft() { record(.peerLeft) }
}

/// Echoes until the end, then closes.
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
