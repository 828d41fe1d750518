import CLibevent
import Glibc
import Rx

/// Connects a stream: each address in turn, within one deadline.
final class ConnectAttempt: TimerTarget {
    private unowned let stream: SocketStream
    private var addresses: ArraySlice<SocketAddress>
    private let deadline: MonotonicTime
    private var timer: TimerToken?
    private var request: ResolveRequest?
    private var lastError: SocketError?

    init(_ stream: SocketStream, addresses: ArraySlice<SocketAddress>, deadline: MonotonicTime) {
        self.stream = stream
        self.addresses = addresses
        self.deadline = deadline
    }

    func cancel() {
        if let timer { stream.loop.cancelTimer(timer) }
        timer = nil
        request?.cancel()
        request = nil
    }

    /// Finds the addresses, then tries them.
    func resolve(_ host: String, port: Int, by resolver: Resolver) {
        request = resolver.resolve(host, port: port, on: stream.loop, deadline: deadline) { [self] result in
            request = nil
            switch result {
            case .success(let found):
                addresses = found[...]
                tryNext()
            case .failure(let error): stream.failSoon(error)
            }
        }
    }

    /// Tries the next address; gives up when there is none or the time is over.
    func tryNext() {
        cancel()
        while let address = addresses.popFirst() {
            let now = stream.loop.now
            guard now < deadline else { break }
            stream.remoteAddress = address
            do throws(SocketError) {
                try begin(address)
                // A share of the time that is left, so that one address that swallows everything leaves some
                // for the others; the last one gets it all.
                let left = (deadline - now).nanoseconds
                let share = left / Int64(addresses.count + 1)
                timer = stream.loop.setTimer(at: now + .nanoseconds(share), target: self)
                return
            } catch {
                lastError = error
                lastError?.subject = address.description
            }
        }
        stream.failSoon(lastError ?? timedOut)
    }

    private var timedOut: SocketError {
        SocketError(.connectTimedOut, .connect, subject: stream.remoteAddress.description)
    }

    private func begin(_ address: SocketAddress) throws(SocketError) {
        let descriptor = try Descriptor.socket(address.family)
        stream.descriptor = descriptor
        do throws(SocketError) {
            if !address.isUnix { try Descriptor.set(TCP_NODELAY, level: Int32(IPPROTO_TCP), of: descriptor) }
            let result = address.withUnsafeSockaddr { Glibc.connect(descriptor, $0, $1) }
            if result == 0 { return stream.soon(.connected) }
            guard errno == EINPROGRESS else { throw SocketError(.connect, errno) }
            // One registration for the connection's whole life: a TCP socket raises the write edge only when
            // it was full, so watching for it costs nothing later.
            stream.register(EV_READ | EV_WRITE | EV_CLOSED | EV_ET | EV_PERSIST)
        } catch {
            close(descriptor)
            stream.descriptor = -1
            throw error
        }
    }

    /// The socket raised an event, or connected at once.
    func socketIsReady() {
        let code = Descriptor.takeError(of: stream.descriptor)
        if code == 0 {
            guard let local = Descriptor.localAddress(of: stream.descriptor),
                Descriptor.remoteAddress(of: stream.descriptor) != nil
            else { return }
            // A port of this host that nobody listens on can, as an ephemeral port, connect to itself.
            guard local != stream.remoteAddress || local.isUnix else { return failed(ECONNREFUSED) }
            return connected()
        }
        failed(code)
    }

    private func failed(_ code: Int32) {
        lastError = SocketError(.connect, code, subject: stream.remoteAddress.description)
        abandonSocket()
        tryNext()
    }

    private func connected() {
        cancel()
        stream.connected()
    }

    func timerFired(_ token: TimerToken) {
        timer = nil
        lastError = timedOut
        abandonSocket()
        tryNext()
    }

    private func abandonSocket() {
        if let event = stream.mainEvent.take() { event.retire(on: stream.loop) }
        if stream.descriptor >= 0 { close(stream.descriptor) }
        stream.descriptor = -1
    }
}

extension SocketStream {
    /// Begins to connect. `streamConnected` or `streamFailed` follows, from the loop.
    ///
    /// - Parameter timeout: after it the attempt fails with `.connectTimedOut`.
    public static func connect(
        to address: SocketAddress, loop: EventLoop, timeout: TimeAmount, handler: (any StreamHandler)? = nil
    ) -> SocketStream {
        connect(to: [address], loop: loop, timeout: timeout, handler: handler)
    }

    /// The same with several addresses: each is tried in turn with a share of the time that is left.
    public static func connect(
        to addresses: [SocketAddress], loop: EventLoop, timeout: TimeAmount,
        handler: (any StreamHandler)? = nil
    ) -> SocketStream {
        precondition(!addresses.isEmpty, "there is an address to connect to")
        let stream = connecting(
            to: addresses, first: addresses[0], loop: loop, timeout: timeout, handler: handler)
        stream.attempt?.tryNext()
        return stream
    }

    /// The same by name: every address that it has is tried in turn, within the one time limit, which the
    /// lookup counts against. A name that cannot be resolved fails with `.nameNotFound`, `.nameFailed` or
    /// `.nameTimedOut`. Until an address is tried `remoteAddress` is `0.0.0.0:0`.
    public static func connect(
        toHost host: String, port: Int, resolver: Resolver, loop: EventLoop, timeout: TimeAmount,
        handler: (any StreamHandler)? = nil
    ) -> SocketStream {
        if let address = SocketAddress(host: host, port: port) {
            return connect(to: address, loop: loop, timeout: timeout, handler: handler)
        }
        let unknown = SocketAddress(.ipv4(address: 0, port: 0))
        let stream = connecting(to: [], first: unknown, loop: loop, timeout: timeout, handler: handler)
        stream.attempt?.resolve(host, port: port, by: resolver)
        return stream
    }

    private static func connecting(
        to addresses: [SocketAddress], first: SocketAddress, loop: EventLoop, timeout: TimeAmount,
        handler: (any StreamHandler)?
    ) -> SocketStream {
        loop.preconditionCurrent("a stream connects on its event loop")
        let stream = SocketStream(loop: loop, descriptor: -1, remoteAddress: first, state: .connecting)
        stream.handler = handler
        stream.attempt = ConnectAttempt(stream, addresses: addresses[...], deadline: loop.now + timeout)
        stream.join()
        return stream
    }

    func connected() {
        attempt = nil
        state = .open
        // A Unix socket connects at once, and its writability changes with every read of the peer: watched
        // only when it is needed.
        if mainEvent == nil { register(EV_READ | EV_CLOSED | EV_ET | EV_PERSIST) }
        if tls != nil { return secure() }
        handler?.streamConnected()
        if state == .open, !queue.isEmpty { flush() }
    }
}
