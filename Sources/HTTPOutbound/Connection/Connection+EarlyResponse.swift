internal import EventIO
internal import HTTPModel

/// A complete success that has overtaken its request, for whoever gets it at the end of the request.
final class EarlyResponse {
    let head: HTTPResponseHead
    let body: ArraySlice<UInt8>
    var isReusable: Bool
    let isLoggedIn: Bool
    let keepAlive: KeepAlive
    /// Bytes that arrived after its end.
    var strayBytes: Int

    init(
        _ head: HTTPResponseHead, _ body: ArraySlice<UInt8>, isReusable: Bool, isLoggedIn: Bool,
        _ keepAlive: KeepAlive, strayBytes: Int
    ) {
        self.head = head
        self.body = body
        self.isReusable = isReusable
        self.isLoggedIn = isLoggedIn
        self.keepAlive = keepAlive
        self.strayBytes = strayBytes
    }
}

// The two directions of an exchange end one after the other, in either order. The call ends with the later
// one.
extension Connection {
    /// Keeps the response until the rest of the request is written and the source of its body has ended. The
    /// limits on sending apply.
    func awaitRequest(_ response: EarlyResponse) {
        early = response
        upload?.continuedBySuccess()
        noteSending()
    }

    /// The request has ended: the call ends with the response that has come before.
    func finishEarly(isReusable: Bool = true) {
        guard let response = early.take() else { return }
        finish(
            call.take(), response.head, response.body, isReusable: isReusable && response.isReusable,
            isLoggedIn: response.isLoggedIn, keepAlive: response.keepAlive, strayBytes: response.strayBytes)
    }

    /// The status of a success whose request has not ended yet, or whose body failed; nil for any other.
    var earlyStatus: HTTPStatus? {
        guard state.owesRequest || early != nil || upload?.hasFailed == true,
            let status = early?.head.status ?? response.head?.status, status.isSuccess
        else { return nil }
        return status
    }

    /// Whether the call waits only for the source of its body to confirm that it has no more than the
    /// announced bytes, all of which were sent. If the source does not do so in time, or the connection ends,
    /// the response stands.
    var endsWithoutBodyEnd: Bool { early != nil && state.isWritten }

    /// Notes that the request is still going out, although the call has had a part of its response.
    func noteSending() {
        guard let call, let stream else { return }
        if let upload { return upload.socketProgressed() }
        call.requestProgressed(isWritten: false, bytesSent: stream.bytesSent, now: loop.wakeTime)
    }

    /// The peer sends no more after its response. It may still receive.
    func peerFinishedEarly() { early?.isReusable = false }

    /// The call ends with a response that refuses the rest of its request.
    func cutRequest(of call: OutboundCall) {
        call.requestWasCut = true
        if upload?.awaitsPiece == true { call.lacksBody = true }
    }
}
