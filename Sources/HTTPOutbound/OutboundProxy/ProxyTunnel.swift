internal import EventIO
internal import HTTPModel
internal import HTTPWire
internal import Timers

/// Asks a proxy for a tunnel (CONNECT, RFC 9110 9.3.6) and starts TLS in it. Handles the stream until then;
/// afterwards the connection does.
final class ProxyTunnel {
    private let origin: Origin
    private let host: String
    private let tls: TLSContext
    private let proxy: OutboundProxy
    private let deadline: MonotonicTime
    private let connection: Connection
    private let loop: EventLoop
    /// Refers to this object as its handler. `cancel` breaks the cycle.
    var stream: SocketStream?
    private var parser: ResponseParser
    private var timer: TimerToken?
    private var isConnected = false

    init(
        to origin: Origin, host: String, tls: TLSContext, through proxy: OutboundProxy,
        deadline: MonotonicTime, for connection: Connection, on loop: EventLoop
    ) {
        self.origin = origin
        self.host = host
        self.tls = tls
        self.proxy = proxy
        self.deadline = deadline
        self.connection = connection
        self.loop = loop
        // Bounds the head of the answer. The body of a refusal is not read.
        parser = ResponseParser(limits: ResponseLimits(), opensTunnel: true)
    }

    func cancel() {
        if let timer { loop.cancelTimer(timer) }
        timer = nil
        stream = nil
    }

    private var request: [UInt8] {
        let target = origin.hostAndPort
        var text = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
        if let authorization = proxy.authorization {
            text += "\(HTTPFieldName.proxyAuthorization): \(authorization)\r\n"
        }
        return Array((text + "\r\n").utf8)
    }

    private func answered(_ status: HTTPStatus, _ rest: UnsafeRawBufferPointer) {
        // The proxy is there and asks for credentials, as it does by a 407 to any other request. Without its
        // fields and body, because they would count as the origin's (RFC 9110 9.3.6).
        if status == .proxyAuthenticationRequired {
            return connection.finishUnopened(HTTPResponseHead(status: status))
        }
        guard (200..<300).contains(status.code) else {
            return fail(
                .destinationUnavailable,
                "refused a tunnel to \(origin.hostAndPort): received-status=\(status.code)")
        }
        guard let stream else { return }
        cancel()
        stream.handler = connection
        // What follows the head belongs to the tunnel, so TLS has to judge it.
        stream.startTLS(
            tls, host: host, sessionKey: origin.hostAndPort, deadline: deadline, received: rest)
    }

    private func fail(_ reason: FailureReason, _ what: String) {
        connection.fail(reason, "the proxy \(proxy) \(what)")
    }
}

extension ProxyTunnel: StreamHandler {
    func streamConnected() {
        isConnected = true
        timer = loop.setTimer(at: deadline, target: self)
        parser.expectResponse(to: .connect)
        stream?.write(request[...])
    }

    func streamReceived(_ bytes: UnsafeRawBufferPointer) {
        var consumed = 0
        while true {
            switch parser.parse(bytes, consumed: &consumed) {
            case .needMore: return
            case .informational: continue
            case .head(let head, _):
                return answered(head.status, UnsafeRawBufferPointer(rebasing: bytes[consumed...]))
            case .failed(let error):
                return fail(error.reason, "did not answer in HTTP: \(error.message)")
            case .body, .end: return
            }
        }
    }

    func streamReachedEnd() {
        fail(.connectionTerminated, "closed the connection before it answered")
    }

    func streamFailed(_ error: SocketError) {
        if error.kind == .loopEnded { return connection.streamFailed(error) }
        guard isConnected else {
            return connection.openingFailed(error, "the proxy \(proxy) cannot be reached: \(error)")
        }
        fail(.connectionTerminated, "broke the connection: \(error)")
    }
}

extension ProxyTunnel: TimerTarget {
    func timerFired(_ token: TimerToken) {
        timer = nil
        fail(.connectionTimeout, "did not answer in time")
    }
}

extension Connection {
    /// The proxy has refused the tunnel with a response that ends the call.
    fileprivate func finishUnopened(_ head: HTTPResponseHead) {
        let ended = detachCall()
        discard(.tunnelRefused)
        _ = ended?.began(head)
        ended?.succeed(head, [])
    }
}
