internal import EventIO

/// Opens the connections of one origin: directly, over TLS, or through a proxy.
struct ConnectionOpener {
    let origin: Origin
    let resolver: Resolver
    let loop: EventLoop
    /// How long an address is tried alone before the next one starts beside it.
    let attemptDelay: TimeAmount

    /// Starts to open a connection. Resolving, the proxy's answer and the TLS handshake all count towards
    /// `timeout`. `streamConnected`, `streamFailed` or the connection's `fail` follows, never inside this
    /// call. Returns the stream, and the tunnel that handles it until the proxy has answered.
    func open(timeout: TimeAmount, for connection: Connection) -> (SocketStream, ProxyTunnel?) {
        switch origin.endpoint {
        case .unix(let address):
            return (SocketStream.connect(to: address, loop: loop, timeout: timeout, handler: connection), nil)
        case .tcp(let host, let port):
            guard let proxy = origin.proxy else {
                let stream = connect(host, port, timeout, connection)
                if let tls = origin.tls {
                    stream.startTLS(
                        tls, host: host, sessionKey: origin.hostAndPort, deadline: loop.wakeTime + timeout)
                }
                return (stream, nil)
            }
            guard let tls = origin.tls else {
                return (connect(proxy.host, proxy.port, timeout, connection), nil)
            }
            let tunnel = ProxyTunnel(
                to: origin, host: host, tls: tls, through: proxy, deadline: loop.wakeTime + timeout,
                for: connection, on: loop)
            let stream = connect(proxy.host, proxy.port, timeout, tunnel)
            tunnel.stream = stream
            return (stream, tunnel)
        }
    }

    private func connect(
        _ host: String, _ port: UInt16, _ timeout: TimeAmount, _ handler: any StreamHandler
    ) -> SocketStream {
        if let address = origin.address {
            return SocketStream.connect(to: address, loop: loop, timeout: timeout, handler: handler)
        }
        return SocketStream.connect(
            toHost: host, port: Int(port), resolver: resolver, loop: loop, timeout: timeout,
            delay: attemptDelay, handler: handler)
    }
}
