import EventIO
import Glibc
import Testing

extension SocketError {
    /// The peer has reset the connection.
    var isReset: Bool { code == ECONNRESET || code == EPIPE }
}

/// A stream on a loop, driven from a test: calls go to the loop, events come back one by one.
final class Driven: @unchecked Sendable {
    // `stream` is touched on the loop only; `iterator` and `buffer` by the one test that owns this.
    let loop: EventLoop
    private(set) var stream: SocketStream?
    private let recorder = Recorder()
    private var iterator: AsyncStream<StreamEvent>.Iterator
    private var waiting: [StreamEvent] = []

    init(loop: EventLoop) {
        self.loop = loop
        iterator = recorder.events.makeAsyncIterator()
    }

    /// Adopts a connected socket.
    static func adopting(
        _ descriptor: Int32, loop: EventLoop, onEvent: (@Sendable (SocketStream, StreamEvent) -> Void)? = nil
    ) async throws -> Driven {
        let driven = Driven(loop: loop)
        try await loop.perform {
            let stream = SocketStream(adopting: descriptor, remoteAddress: .loopback(), loop: loop)
            driven.begin(stream, onEvent)
            stream.start(handler: driven.recorder)
        }
        return driven
    }

    /// Makes the stream on the loop, with the handler it is given.
    static func connecting(
        loop: EventLoop, _ connect: @escaping @Sendable (any StreamHandler) -> SocketStream
    ) async throws -> Driven {
        let driven = Driven(loop: loop)
        try await loop.perform { driven.begin(connect(driven.recorder), nil) }
        return driven
    }

    private func begin(
        _ stream: SocketStream, _ onEvent: (@Sendable (SocketStream, StreamEvent) -> Void)?
    ) {
        self.stream = stream
        guard let onEvent else { return }
        recorder.onEvent = { [unowned stream] event in onEvent(stream, event) }
    }

    /// Calls the stream on its loop.
    @discardableResult
    func on<Value: Sendable>(_ body: @escaping @Sendable (SocketStream) throws -> Value) async throws -> Value
    {
        try await loop.perform { [self] in
            guard let stream else { throw SocketError(.badAddress, .address) }
            return try body(stream)
        }
    }

    /// Lets go of the stream, on its loop.
    func forget() async throws {
        try await loop.perform { self.stream = nil }
    }

    func next() async -> StreamEvent? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        return await iterator.next(isolation: nil)
    }

    /// The next event that is not bytes, and the bytes before it.
    func nextAfterBytes() async -> (bytes: [UInt8], event: StreamEvent?) {
        var bytes: [UInt8] = []
        while let event = await next() {
            guard case .received(let some) = event else { return (bytes, event) }
            bytes += some
        }
        return (bytes, nil)
    }

    /// At least `count` bytes; fewer when something else comes first, which stays the next event.
    func bytes(_ count: Int) async -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let event = await next() {
            guard case .received(let some) = event else {
                waiting.insert(event, at: 0)
                break
            }
            bytes += some
        }
        return bytes
    }

    /// What has been told up to now, without waiting: the loop has finished its present wake.
    func eventsUntilNow() async throws -> [StreamEvent] {
        try await loop.perform {}
        recorder.mark()
        var events: [StreamEvent] = []
        while let event = await next(), event != Recorder.markEvent { events.append(event) }
        return events
    }
}

/// A TCP connection: a raw client, and the stream that a listener accepted for it.
func withAccepted<Result>(
    loop: EventLoop, onEvent: (@Sendable (SocketStream, StreamEvent) -> Void)? = nil,
    _ body: (Driven, RawSocket) async throws -> Result
) async throws -> Result {
    let (listening, address) = RawSocket.listening()
    defer { listening.close() }
    let peer = try RawSocket(connectedTo: address)
    let accepted = listening.accept()
    accepted.makeNonBlocking()
    let driven = try await Driven.adopting(accepted.descriptor, loop: loop, onEvent: onEvent)
    let result = try await body(driven, peer)
    try await loop.perform { driven.stream?.close() }
    return result
}

/// Made once: byte by byte, megabytes take seconds in a build without optimization. Its length is no multiple of anything
/// that buffers and gathered writes are cut by.
private let testBlock = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 8) }

/// So many bytes of a stream of test bytes, from a place in it: what is missing, doubled or misplaced is told apart.
func testBytes(_ count: Int, from start: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var place = start % testBlock.count
    while bytes.count < count {
        bytes += testBlock[place...].prefix(count - bytes.count)
        place = 0
    }
    return bytes
}

func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }
