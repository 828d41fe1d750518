import EventIO
import GatewayCore
import HTTPInbound
import Rx

/// Sends the body of an answer piece by piece, and reads no faster than the client receives. Confined to the exchange's loop.
final class StreamPump {
    private let stream: AnswerStream
    private let writer: BodyWriter
    private let loop: EventLoop
    /// How long the next piece may take.
    private let gap: Duration
    private let log: Log
    private var timer: TimerToken?
    private var isReading = false
    private var isPumping = false
    private var isOver = false

    init(_ stream: AnswerStream, to writer: BodyWriter, on loop: EventLoop, gap: Duration, log: Log) {
        self.stream = stream
        self.writer = writer
        self.loop = loop
        self.gap = gap
        self.log = log
    }

    func start() {
        writer.onDrain = { [weak self] in self?.pump() }
        pump()
    }

    /// Cancels the work that makes the body. The exchange is over.
    func stop() {
        isOver = true
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
            timer = loop.setTimer(after: gap, target: self)
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
            writer.write(bytes)
            pump()
        case .success(nil):
            isOver = true
            writer.finish()
        case .failure:
            isOver = true
            writer.fail()
        }
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
        log.write(.warning, "streamed answer broken off", ["reason": "no piece within \(gap)"])
        isOver = true
        stream.cancel()
        writer.fail()
    }
}
