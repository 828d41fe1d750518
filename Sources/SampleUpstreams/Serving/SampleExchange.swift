internal import EventIO
internal import HTTPInbound
internal import HTTPModel

/// An exchange that tells the log what became of it. Confined to its loop.
final class SampleExchange {
    private final class Note {
        var status: Int?
    }

    private let inbound: InboundExchange
    private let note = Note()

    init(_ inbound: InboundExchange, log: (@Sendable (SampleEvent) -> Void)?) {
        self.inbound = inbound
        guard let log else { return }
        let note = note
        let head = inbound.request.head
        let method = inbound.method.rawValue
        let receivedAt = inbound.receivedAt
        inbound.onFinished = { outcome, bytesSent in
            log(
                .answered(
                    SampleAnswer(
                        method: method, target: head.target.description, status: note.status,
                        bytesSent: bytesSent, elapsedMilliseconds: milliseconds(since: receivedAt),
                        isComplete: outcome == .completed)))
        }
    }

    var request: ReceivedRequest { inbound.request }
    var loop: EventLoop { inbound.loop }
    var isOver: Bool { inbound.isOver }

    func respond(_ response: HTTPResponse) {
        note.status = response.status.code
        inbound.respond(response)
    }

    func abort() { inbound.abort() }

    /// Sends bytes that need not be HTTP; `status` is what they say, if they are.
    func sendRaw(_ bytes: ArraySlice<UInt8>, status: HTTPStatus?) {
        note.status = status?.code
        inbound.writeRaw(bytes)
    }

    func closeRaw() { inbound.closeRaw() }

    /// Calls `work` when the client leaves before its answer.
    func onClientGone(_ work: (() -> Void)?) { inbound.onClientGone = work }
}

/// From `start` to now.
func milliseconds(since start: MonotonicTime) -> Double {
    Double((MonotonicTime.clock() - start).nanoseconds) / 1e6
}
