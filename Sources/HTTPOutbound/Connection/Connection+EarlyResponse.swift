internal import EventIO
internal import HTTPModel

/// A complete success that has overtaken its request, for whoever gets it once the rest of the request is written.
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

// The two directions of an exchange end one after the other, in either order. The call ends with the later one.
extension Connection {
    /// Keeps the response until the rest of the request is written. The limits on sending apply.
    func awaitRequest(_ response: EarlyResponse) {
        early = response
        upload?.continuedBySuccess()
        noteSending()
    }

    /// The request is written: the call ends with the response that has come before.
    func finishEarly() {
        guard let response = early.take() else { return }
        finish(
            call.take(), response.head, response.body, isReusable: response.isReusable,
            isLoggedIn: response.isLoggedIn, keepAlive: response.keepAlive, strayBytes: response.strayBytes)
    }

    /// The status of a success whose request is not written yet; nil for any other.
    var earlyStatus: HTTPStatus? {
        guard state.owesRequest, let status = early?.head.status ?? response.head?.status, status.isSuccess
        else { return nil }
        return status
    }

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
