import GatewayCore
import HTTPInbound
import HTTPModel
import Networking

/// Sends the response of an upstream to the client as it arrives, and pauses the upstream while the client is slow. Confined to the
/// exchange's loop.
final class RelayPump {
    private let stream: AnswerStream
    private let writer: BodyWriter
    /// Nil to send the pieces as they are.
    private let encoder: AnswerEncoder?
    private let requestID: String
    private let log: Log
    private let flow: any FlowControl
    private var isPaused = false
    private var isOver = false

    /// - Parameters:
    ///   - flow: pauses the response.
    ///   - writer: of an answer whose head is sent.
    init(
        _ stream: AnswerStream, _ flow: any FlowControl, to writer: BodyWriter, by encoder: AnswerEncoder?,
        requestID: String, _ log: Log
    ) {
        self.encoder = encoder
        self.stream = stream
        self.flow = flow
        self.writer = writer
        self.requestID = requestID
        self.log = log
    }

    /// Cancels the call. The exchange is over.
    func stop() {
        guard !isOver else { return }
        isOver = true
        stream.cancel()
    }

    func received(_ piece: UnsafeRawBufferPointer) {
        guard !isOver else { return }
        if let encoder {
            do {
                try writer.write(piece, by: encoder)
            } catch {
                return breakOff(error)
            }
        } else {
            writer.write(piece)
        }
        guard writer.isOverHighWatermark, !isPaused else { return }
        isPaused = true
        writer.onDrain = { [weak self] in self?.resume() }
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
        isOver = true
        do {
            try writer.finish(by: encoder)
        } catch {
            writer.fail()
        }
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
