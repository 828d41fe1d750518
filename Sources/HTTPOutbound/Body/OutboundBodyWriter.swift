public import EventIO
internal import HTTPModel
internal import HTTPWire
public import Rx

/// Takes the pieces of one body to the socket, as fast as that takes them: at most `queueLimit` bytes and a piece wait.
///
/// It asks for one piece after the other, each in a turn of its own, so that a fast disk and a fast network leave the loop
/// to others too.
public final class OutboundBodyWriter {
    /// Bytes that may wait for the socket when another piece is asked for.
    static var queueLimit: Int { 128 << 10 }

    private enum State {
        /// Nothing is asked for yet: the upstream may have a word first.
        case waiting
        /// The next turn asks.
        case due
        /// The stream owes a piece.
        case asked
        /// Too much waits for the socket.
        case blocked
        /// The last byte was given to the socket.
        case whole
        /// Nothing is done any more.
        case stopped
    }

    private let source: any OutboundBodySource
    private let loop: EventLoop
    /// Nil where the upstream is not asked first.
    private let continueTimeout: TimeAmount?
    /// Given up with the end, as it has this writer.
    private var connection: Connection?
    private var stream: (any OutboundBodyStream)?
    private var state = State.waiting
    private var timer: TimerToken?
    /// Bytes of the body given to the socket.
    private(set) var count: Int64 = 0
    /// What is left of the length, where there is one.
    private var left: Int64?

    /// - Parameter continueTimeout: the longest wait for the upstream's word; nil where it is not asked.
    init(_ source: any OutboundBodySource, on connection: Connection, continueTimeout: TimeAmount?) {
        self.source = source
        self.connection = connection
        loop = connection.loop
        left = source.length
        self.continueTimeout = continueTimeout
    }

    // MARK: Answers of the stream

    /// Bytes that wait for the socket.
    public var queuedByteCount: Int { connection?.stream?.queuedByteCount ?? 0 }

    /// The next piece; one without bytes only has it asked again.
    public func write(_ piece: ArraySlice<UInt8>) {
        guard case .asked = state, let connection, let socket = connection.stream else { return }
        if let rest = left {
            guard rest >= piece.count else { return fail("the body is longer than its length") }
            left = rest - Int64(piece.count)
            socket.write(piece)
        } else if !piece.isEmpty {
            var size: [UInt8] = []
            ChunkedEncoding.appendSize(piece.count, to: &size)
            socket.write([size[...], piece, Self.chunkEnd])
        }
        count += Int64(piece.count)
        state = .blocked
        socketMoved()
    }

    /// There is no more.
    public func finish() {
        guard case .asked = state, let connection else { return }
        if let left {
            guard left == 0 else { return fail("the body is \(left) bytes shorter than its length") }
        } else {
            connection.stream?.write(Self.lastChunk)
        }
        state = .whole
        closeStream()
        connection.bodyIsWhole()
    }

    /// It cannot be had: the call fails with `http_request_error`, the connection is closed.
    ///
    /// - Parameter detail: for a log.
    public func fail(_ detail: String) {
        guard case .asked = state, let connection else { return }
        stop()
        connection.fail(.requestError, detail)
    }

    private static let chunkEnd = Array("\r\n".utf8)[...]
    private static let lastChunk = Array("0\r\n\r\n".utf8)[...]

    // MARK: What the connection tells

    /// The head is on its way.
    func begin() {
        guard let continueTimeout else { return beDue() }
        timer = loop.setTimer(after: continueTimeout, target: self)
    }

    /// The upstream wants the body (100).
    func continued() {
        guard case .waiting = state else { return }
        stopTimer()
        beDue()
    }

    /// The socket took some of what waits, or more waits now.
    func socketMoved() {
        guard let connection, let socket = connection.stream else { return }
        if case .blocked = state, socket.queuedByteCount < Self.queueLimit { beDue() }
        connection.bodyMoved()
    }

    /// Whether all of it was given to the socket.
    var isWhole: Bool { if case .whole = state { true } else { false } }

    /// Whether the socket has taken as many bytes as the length says.
    var isOut: Bool { left == 0 && connection?.stream?.queuedByteCount == 0 }

    /// No more of it is wanted.
    func stop() {
        stopTimer()
        state = .stopped
        connection = nil
        closeStream()
    }

    private func beDue() {
        state = .due
        loop.defer(self)
    }

    private func ask() {
        guard let connection else { return }
        if stream == nil {
            if !source.canRestart { connection.bodyIsTaken() }
            do {
                stream = try source.open(on: loop)
            } catch {
                stop()
                return connection.fail(.requestError, "\(error)")
            }
        }
        state = .asked
        connection.bodyMoved()
        stream?.nextPiece(for: self)
    }

    private func stopTimer() {
        if let timer { loop.cancelTimer(timer) }
        timer = nil
    }

    private func closeStream() {
        let closed = stream.take()
        closed?.close()
    }
}

extension OutboundBodyWriter: DeferredWork {
    /// For its loop to call.
    public func runDeferred() {
        if case .due = state { ask() }
    }
}

extension OutboundBodyWriter: TimerTarget {
    /// The upstream said nothing: it may not know of expectations.
    public func timerFired(_ token: TimerToken) {
        timer = nil
        continued()
    }
}
