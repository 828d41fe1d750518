internal import EventIO
internal import HTTPInbound
internal import HTTPModel

/// An exchange that logs its answer and records its call. Confined to its loop.
final class SampleExchange {
    /// Shared with the closure that logs the answer.
    private final class SentStatus {
        var code: Int?
    }

    private let inbound: InboundExchange
    private let sentStatus = SentStatus()

    init(_ inbound: InboundExchange, calls: RecentCalls, log: (@Sendable (SampleEvent) -> Void)?) {
        self.inbound = inbound
        let head = inbound.request.head
        let method = inbound.method.rawValue
        let receivedAt = inbound.receivedAt
        let requestID = head.fields[.xRequestID] ?? ""
        let number = calls.began(requestID, method, head.target.description, at: receivedAt)
        guard log != nil || number != nil else { return }
        let sentStatus = sentStatus
        inbound.onFinished = { outcome, bytesSent in
            if let number {
                calls.ended(requestID, number, status: sentStatus.code, at: MonotonicTime.clock())
            }
            log?(
                .answered(
                    SampleAnswer(
                        method: method, target: head.target.description, status: sentStatus.code,
                        bytesSent: bytesSent, elapsedMilliseconds: milliseconds(since: receivedAt),
                        isComplete: outcome == .completed)))
        }
    }

    var request: ReceivedRequest { inbound.request }
    var loop: EventLoop { inbound.loop }
    var isOver: Bool { inbound.isOver }

    func respond(_ response: HTTPResponse) {
        sentStatus.code = response.status.code
        inbound.respond(opening(response))
    }

    /// Returns the response with the fields that let the request's page read it.
    func opening(_ response: HTTPResponse) -> HTTPResponse {
        PageAccess.opening(response, to: request.head)
    }

    func abort() { inbound.abort() }

    /// Sends bytes that need not be HTTP. `status` is their status if they are a response.
    func sendRaw(_ bytes: ArraySlice<UInt8>, status: HTTPStatus?) {
        sentStatus.code = status?.code
        inbound.writeRaw(bytes)
    }

    func closeRaw() { inbound.closeRaw() }

    /// Calls `work` if the client leaves before its answer.
    func onClientGone(_ work: (() -> Void)?) { inbound.onClientGone = work }
}

func milliseconds(since start: MonotonicTime) -> Double {
    Double((MonotonicTime.clock() - start).nanoseconds) / 1e6
}
