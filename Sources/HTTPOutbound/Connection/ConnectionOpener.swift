internal import EventIO

/// Opens the connections of one origin: the place where another way to an upstream (TLS) begins.
struct ConnectionOpener {
    let origin: Origin
    let resolver: Resolver
    let loop: EventLoop

    /// Begins to open one, resolving included. `streamConnected` or `streamFailed` follows, never from inside this call.
    func open(timeout: TimeAmount, handler: any StreamHandler) -> SocketStream {
        switch origin.endpoint {
        case .tcp(let host, let port):
            SocketStream.connect(
                toHost: host, port: Int(port), resolver: resolver, loop: loop, timeout: timeout,
                handler: handler)
        case .unix(let address):
            SocketStream.connect(to: address, loop: loop, timeout: timeout, handler: handler)
        }
    }
}
