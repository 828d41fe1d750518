import GatewayCore
import HTTPInbound
import HTTPModel
import Networking

/// Sends the response of an upstream to the client as it arrives, and pauses the upstream while the client is slow. Confined to the
/// exchange's loop.
final class RelayPump {
    private let stream: AnswerStream
    private let writer: PieceWriter
    private let requestID: String
    private let log: Log
    private let flow: any FlowControl
    private var isPaused = false
    private var isOver = false

    /// - Parameters:
    ///   - flow: pauses the response.
    ///   - writer: of an answer whose head is sent.
    init(
        _ stream: AnswerStream, _ flow: any FlowControl, to writer: PieceWriter, requestID: String, _ log: Log
    ) {
        self.stream = stream
        self.flow = flow
        self.writer = writer
        self.requestID = requestID
        self.log = log
        writer.start { [weak self] in
            self?.resume()
        } failed: { [weak self] in
            self?.breakOff($0)
        }
    }

    /// Cancels the call. The exchange is over.
    func stop() {
        guard !isOver else { return }
        isOver = true
        writer.stop()
        stream.cancel()
    }

    func received(_ piece: UnsafeRawBufferPointer) {
        guard !isOver else { return }
        writer.write(piece)
        guard writer.isOverHighWatermark, !isPaused else { return }
        isPaused = true
        flow.pause()
    }

    private func resume() {
        guard isPaused else { return }
        isPaused = false
        flow.resume()
    }

    func ended(_ error: (any Error)?) {
        guard !isOver else { return }
        if let error { return breakOff(error) }
        // A failure to end the compressed body is reported at once.
        writer.finish()
        isOver = true
    }

    /// Resets the connection, so that the client does not take a part for the whole.
    private func breakOff(_ error: any Error) {
        log.write(
            .warning, "streamed answer broken off", ["requestId": requestID, "reason": "\(error)"])
        isOver = true
        stream.cancel()
        writer.fail()
    }
}
