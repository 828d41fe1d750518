import EventIO
import HTTPOutbound
import Networking
import Rx

/// Sends a body that arrives from elsewhere as fast as the upstream takes it.
struct ArrivingOutboundBody: OutboundBodySource {
    let length: Int64?
    let expectsContinue: Bool
    private let body: any ArrivingBody

    init(_ body: any ArrivingBody) {
        self.body = body
        length = body.length
        expectsContinue = body.expectsContinue
    }

    /// What was taken from its source is gone.
    var canRestart: Bool { false }

    func open(on loop: EventLoop) -> any OutboundBodyStream { Stream(body, on: loop) }

    private final class Stream: OutboundBodyStream {
        private let body: any ArrivingBody
        private let loop: EventLoop

        init(_ body: any ArrivingBody, on loop: EventLoop) {
            self.body = body
            self.loop = loop
        }

        func nextPiece(for writer: OutboundBodyWriter) {
            let writer = LoopBound(writer, loop: loop)
            body.read { piece in
                guard !writer.loop.isCurrent else { return writer.value.take(piece) }
                writer.loop.execute { writer.value.take(piece) }
            }
        }

        func close() { body.cancel() }
    }
}

extension OutboundBodyWriter {
    fileprivate func take(_ piece: Result<ArraySlice<UInt8>?, any Error>) {
        switch piece {
        case .success(let bytes?): write(bytes)
        case .success(nil): finish()
        case .failure(let error): fail("\(error)")
        }
    }
}
