internal import EventIO

/// Opens the connections of one origin: the place where another way to an upstream (TLS) begins.
struct ConnectionOpener {
    private let loop: EventLoop
    private let address: SocketAddress?

    init(_ origin: Origin, loop: EventLoop) {
        self.loop = loop
        switch origin.endpoint {
        case .tcp(let host, let port): address = SocketAddress(host: host == "localhost" ? "127.0.0.1" : host, port: Int(port))
        case .unix(let path): address = try? SocketAddress(unixPath: path)
        }
    }

    /// Begins to open one. `streamConnected` or `streamFailed` follows, never from inside this call.
    func open(timeout: TimeAmount, handler: any StreamHandler) -> SocketStream? {
        guard let address else { return nil }
        return SocketStream.connect(to: address, loop: loop, timeout: timeout, handler: handler)
    }
}
