import EventIO
import Glibc
import TestSupport
import Testing

extension SocketError {
    /// Whether the peer has reset the connection.
    var isReset: Bool { code == ECONNRESET || code == EPIPE }
}

/// A stream driven from a test: calls run on its loop, and events are awaited one by one.
final class StreamDriver: @unchecked Sendable {
    // `stream` is used on the loop only, and `waiting` by the test that owns the driver.
    let loop: EventLoop
    private(set) var stream: SocketStream?
    private let recorder = Recorder()
    private var waiting: [StreamEvent] = []

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Adopts a connected socket.
    static func adopting(
        _ descriptor: Int32, loop: EventLoop, onEvent: (@Sendable (SocketStream, StreamEvent) -> Void)? = nil
    ) async throws -> StreamDriver {
        let driven = StreamDriver(loop: loop)
        try await loop.perform {
            let stream = SocketStream(adopting: descriptor, remoteAddress: .loopback(), loop: loop)
            driven.begin(stream, onEvent)
            stream.start(handler: driven.recorder)
        }
        return driven
    }

    /// Calls `connect` on the loop with a handler that records events.
    static func connecting(
        loop: EventLoop, _ connect: @escaping @Sendable (any StreamHandler) -> SocketStream
    ) async throws -> StreamDriver {
        let driven = StreamDriver(loop: loop)
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

    /// Runs `body` with the stream, on its loop.
    @discardableResult
    func on<Value: Sendable>(_ body: @escaping @Sendable (SocketStream) throws -> Value) async throws -> Value
    {
        try await loop.perform { [self] in
            guard let stream else { throw SocketError(.badAddress, .address) }
            return try body(stream)
        }
    }

    /// Releases the stream on its loop.
    func forget() async throws {
        try await loop.perform { self.stream = nil }
    }

    func next(file: String = #fileID, line: Int = #line) async throws -> StreamEvent {
        if !waiting.isEmpty { return waiting.removeFirst() }
        return try await recorder.events.next(file: file, line: line)
    }

    /// Returns the next event other than bytes, and the bytes before it.
    func nextAfterBytes(
        file: String = #fileID, line: Int = #line
    ) async throws -> (bytes: [UInt8], event: StreamEvent) {
        var bytes: [UInt8] = []
        while true {
            let event = try await next(file: file, line: line)
            guard case .received(let some) = event else { return (bytes, event) }
            bytes += some
        }
    }

    /// Returns at least `count` bytes, or fewer if another event comes first. `next` then returns that event.
    func bytes(_ count: Int, file: String = #fileID, line: Int = #line) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let event = try await next(file: file, line: line)
            guard case .received(let some) = event else {
                waiting.insert(event, at: 0)
                break
            }
            bytes += some
        }
        return bytes
    }

    /// Returns the events so far. The loop has finished its current wake by then.
    func eventsUntilNow() async throws -> [StreamEvent] {
        try await loop.perform {}
        recorder.mark()
        var events: [StreamEvent] = []
        while true {
            let event = try await next()
            if event == Recorder.markEvent { return events }
            events.append(event)
        }
    }
}

/// Runs `body` with a raw client and the stream that a listener accepted for it.
func withAccepted<Result>(
    loop: EventLoop, onEvent: (@Sendable (SocketStream, StreamEvent) -> Void)? = nil,
    _ body: (StreamDriver, RawSocket) async throws -> Result
) async throws -> Result {
    let (listening, address) = RawSocket.listening()
    defer { listening.close() }
    let peer = try RawSocket(connectedTo: address)
    let accepted = listening.accept()
    accepted.makeNonBlocking()
    let driven = try await StreamDriver.adopting(accepted.descriptor, loop: loop, onEvent: onEvent)
    let result = try await body(driven, peer)
    try await loop.perform { driven.stream?.close() }
    return result
}

/// Built once, since building megabytes takes seconds without optimization. Its length is prime, so that
/// pieces never align with buffers.
private let testBlock = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 8) }

/// Returns `count` bytes whose values depend on their position, which reveals missing, repeated and misplaced
/// ones.
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
