public import EventIO
internal import HTTPModel
internal import HTTPWire
public import Timers

/// Writes the pieces of one body as fast as the socket takes them. At most `queueLimit` bytes and one piece
/// are queued.
///
/// Requests each piece in a separate turn of the loop, so a fast disk and a fast network do not starve other
/// work.
public final class OutboundBodyWriter {
    /// The next piece is requested once fewer bytes than this are queued for the socket.
    static var queueLimit: Int { 16 << 10 }

    private enum State {
        /// Waiting for 100 (Continue), or just created.
        case awaitingContinue
        /// The next turn of the loop requests a piece.
        case due
        /// Waiting for a piece from the stream.
        case requested
        /// Waiting for the socket to take more.
        case blocked
        /// The last byte was given to the socket.
        case finished
        case stopped
    }

    private let source: any OutboundBodySource
    private let loop: EventLoop
    /// nil if the request has no Expect field.
    private let continueTimeout: TimeAmount?
    /// Refers to this writer, so it is set to nil at the end.
    private var connection: Connection?
    private var stream: (any OutboundBodyStream)?
    private var state = State.awaitingContinue
    private var timer: TimerToken?
    /// Bytes of the body given to the socket so far.
    private(set) var count: Int64 = 0
    /// Bytes still to come; nil if the length is unknown.
    private var left: Int64?

    init(_ source: any OutboundBodySource, on connection: Connection, continueTimeout: TimeAmount?) {
        self.source = source
        self.connection = connection
        loop = connection.loop
        left = source.knownLength
        self.continueTimeout = continueTimeout
    }

    // MARK: Calls from the stream

    /// Bytes queued for the socket.
    public var queuedByteCount: Int { connection?.stream?.queuedByteCount ?? 0 }

    /// Writes the next piece. An empty piece only requests another one.
    public func write(_ piece: ArraySlice<UInt8>) {
        guard case .requested = state, let connection, let socket = connection.stream else { return }
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
        socketProgressed()
    }

    /// Ends the body. Fails the call if bytes of its length are missing.
    public func finish() {
        guard case .requested = state, let connection else { return }
        if let left {
            guard left == 0 else { return fail("the body is \(left) bytes shorter than its length") }
        } else {
            connection.stream?.write(Self.lastChunk)
        }
        state = .finished
        closeStream()
        connection.bodyFinished()
    }

    /// Fails the call with `http_request_error` and closes the connection. `detail` is for a log.
    public func fail(_ detail: String) {
        guard case .requested = state, let connection else { return }
        stop()
        connection.fail(.requestError, detail)
    }

    private static let chunkEnd = Array("\r\n".utf8)[...]
    private static let lastChunk = Array("0\r\n\r\n".utf8)[...]

    // MARK: Calls from the connection

    func begin() {
        guard let continueTimeout else { return schedule() }
        timer = loop.setTimer(after: continueTimeout, target: self)
    }

    func continued() {
        guard case .awaitingContinue = state else { return }
        stopTimer()
        schedule()
    }

    /// A success came instead of the 100 (Continue), and the upstream gets the body all the same. The first
    /// piece is requested before the response is passed on: a client whose body passes through may wait for a
    /// 100 of its own, which cannot follow a response.
    func continuedBySuccess() {
        guard case .awaitingContinue = state else { return }
        stopTimer()
        requestPiece()
    }

    /// The socket has taken some bytes, or was given more.
    func socketProgressed() {
        guard let connection, let socket = connection.stream else { return }
        if case .blocked = state, socket.queuedByteCount < Self.queueLimit { schedule() }
        connection.bodyProgressed()
    }

    /// Whether the next bytes are still missing on our side.
    var awaitsPiece: Bool {
        if left == 0 { return false }
        return switch state {
        case .due, .requested: true
        case .awaitingContinue, .blocked, .finished, .stopped: false
        }
    }

    /// Whether the stream has said that it is complete.
    var isFinished: Bool { if case .finished = state { true } else { false } }

    /// Whether it has stopped before that.
    var hasFailed: Bool { if case .stopped = state { true } else { false } }

    /// Whether the socket has taken the whole body, if its length is known.
    var isSent: Bool {
        guard left == 0, let socket = connection?.stream else { return false }
        return socket.queuedByteCount == 0 && !socket.hasFailed
    }

    /// Stops: the rest of the body is not wanted.
    func stop() {
        stopTimer()
        state = .stopped
        connection = nil
        closeStream()
    }

    private func schedule() {
        state = .due
        loop.defer(self)
    }

    private func requestPiece() {
        guard let connection else { return }
        if stream == nil {
            if !source.canRestart { connection.bodyTaken() }
            do {
                stream = try source.open(on: loop)
            } catch {
                stop()
                return connection.fail(.requestError, "\(error)")
            }
        }
        state = .requested
        connection.bodyProgressed()
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
    /// Asks the body for its next piece, in a wake of its own.
    public func runDeferred() {
        if case .due = state { requestPiece() }
    }
}

extension OutboundBodyWriter: TimerTarget {
    /// No 100 (Continue) came in time: the upstream may not know expectations.
    public func timerFired(_ token: TimerToken) {
        timer = nil
        continued()
    }
}
