import EventIO
import GatewayCore
import HTTPInbound
import HTTPModel
import Rx

/// Sends the body of an answer piece by piece, and reads no faster than the client receives. Confined to the exchange's loop.
final class StreamPump {
    private let stream: AnswerStream
    private let writer: PieceWriter
    private let loop: EventLoop
    private let requestID: String
    private let log: Log
    private var timer: TimerToken?
    private var isReading = false
    private var isPumping = false
    private var isOver = false

    /// Sends a head and the stream behind it. Returns nil if there is nothing to send behind it.
    ///
    /// - Parameter compressor: nil to send the body as it is.
    static func send(
        _ stream: AnswerStream, _ head: HTTPResponseHead, on exchange: InboundExchange, _ log: Log,
        compressor: AnswerCompressor? = nil
    ) -> StreamPump? {
        var head = head
        if let length = stream.length { head.fields.append(.contentLength, "\(length)") }
        let encoder = compressor?.encoder(
            for: &head, length: stream.length, exchange.request.head.fields)
        let writer = exchange.startStreaming(head)
        // HEAD has no body, and the client may have left.
        guard exchange.method != .head, !exchange.isOver else {
            stream.cancel()
            writer.finish()
            return nil
        }
        let id = head.fields[.xRequestID] ?? ""
        let pieces = PieceWriter(writer, by: encoder, on: exchange.loop)
        let pump = StreamPump(stream, to: pieces, on: exchange.loop, requestID: id, log: log)
        pump.start()
        return pump
    }

    private init(
        _ stream: AnswerStream, to writer: PieceWriter, on loop: EventLoop, requestID: String, log: Log
    ) {
        self.requestID = requestID
        self.stream = stream
        self.writer = writer
        self.loop = loop
        self.log = log
    }

    func start() {
        writer.start { [weak self] in
            self?.pump()
        } failed: { [weak self] in
            self?.breakOff("\($0)")
        }
        pump()
    }

    /// Cancels the work that makes the body. The exchange is over.
    func stop() {
        isOver = true
        writer.stop()
        stopTimer()
        stream.cancel()
    }

    /// Reads until no piece is ready or the client has enough to receive. A loop, because pieces may arrive within `read`.
    private func pump() {
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        while !isOver, !isReading, !writer.isOverHighWatermark {
            isReading = true
            timer = loop.setTimer(after: stream.gap, target: self)
            let pump = LoopBound(self, loop: loop)
            stream.read { piece in
                guard !pump.loop.isCurrent else { return pump.value.received(piece) }
                pump.loop.execute { pump.value.received(piece) }
            }
        }
    }

    private func received(_ piece: Result<ArraySlice<UInt8>?, any Error>) {
        isReading = false
        stopTimer()
        guard !isOver else { return }
        switch piece {
        case .success(let bytes?):
            bytes.withUnsafeBytes(writer.write)
            pump()
        case .success(nil):
            // A failure to end the compressed body is reported at once.
            writer.finish()
            isOver = true
        case .failure(let error): breakOff("\(error)")
        }
    }

    /// Resets the connection, so that the client does not take a part for the whole.
    private func breakOff(_ reason: String) {
        log.write(
            .warning, "streamed answer broken off", ["requestId": requestID, "reason": reason])
        isOver = true
        stopTimer()
        stream.cancel()
        writer.fail()
    }

    private func stopTimer() {
        if let timer { loop.cancelTimer(timer) }
        timer = nil
    }
}

extension StreamPump: TimerTarget {
    /// The next piece took too long.
    func timerFired(_ token: TimerToken) {
        timer = nil
        breakOff("no piece within \(stream.gap)")
    }
}
