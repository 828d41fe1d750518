import CLibevent
import Glibc
import Timers

/// Connects a stream within one deadline. `ConnectRace` decides what to try when.
final class ConnectAttempt: TimerTarget {
    private unowned let stream: SocketStream
    private let delay: TimeAmount
    private let deadline: MonotonicTime
    private var race: ConnectRace
    /// Competing sockets for several addresses. A single address uses the stream's own socket, so that one
    /// event registration serves the whole connection.
    private var candidates: [ConnectCandidate] = []
    private var hasOneAddress: Bool
    private var timer: TimerToken?
    private var request: ResolveRequest?
    private var unreachable: UnreachableAddresses?
    /// The addresses of the family that was found first.
    private var tried: Set<SocketAddress> = []

    init(
        _ stream: SocketStream, addresses: [SocketAddress], delay: TimeAmount, deadline: MonotonicTime
    ) {
        self.stream = stream
        self.delay = delay
        self.deadline = deadline
        hasOneAddress = addresses.count == 1
        race = ConnectRace(addresses, delay: delay, deadline: deadline, now: stream.loop.now)
    }

    func cancel() {
        stopTimer()
        request?.cancel()
        request = nil
        let left = candidates
        candidates = []
        for candidate in left { candidate.close() }
    }

    func resolve(_ host: String, port: Int, by resolver: Resolver) {
        unreachable = resolver.unreachable
        request = resolver.resolve(host, port: port, on: stream.loop, deadline: deadline) { [self] update in
            switch update {
            case .partial(let found): begin(found, expectsMore: true)
            case .complete(let result):
                request = nil
                allFound(result)
            }
        }
    }

    private func begin(_ found: [SocketAddress], expectsMore: Bool) {
        tried = Set(found)
        // A single address that others may follow competes, too.
        hasOneAddress = found.count == 1 && !expectsMore
        race = ConnectRace(
            ordered(found), expectsMore: expectsMore, delay: delay, deadline: deadline, now: stream.loop.now)
        start()
    }

    private func allFound(_ result: Result<[SocketAddress], SocketError>) {
        switch result {
        case .success(let found) where race.expectsMore:
            perform(race.add(ordered(found.filter { !tried.contains($0) }), now: stream.loop.now))
        case .success(let found): begin(found, expectsMore: false)
        // The attempts under way may still succeed.
        case .failure where race.expectsMore: perform(race.add([], now: stream.loop.now))
        case .failure(let error): stream.failLater(error)
        }
    }

    private func ordered(_ addresses: [SocketAddress]) -> [SocketAddress] {
        let mixed = ConnectRace.interleaved(addresses)
        return unreachable?.ordered(mixed, now: stream.loop.now) ?? mixed
    }

    func start() { perform(race.timePassed(now: stream.loop.now)) }

    private func perform(_ first: ConnectRace.Step) {
        var step = first
        while true {
            switch step {
            case .begin(let address, let wake):
                stream.remoteAddress = address
                do throws(SocketError) {
                    if hasOneAddress {
                        try connectSingle(address)
                    } else {
                        candidates.append(try ConnectCandidate(address, of: self, on: stream.loop))
                    }
                    return wait(until: wake)
                } catch {
                    step = recordFailure(error, at: address)
                }
            case .wait(let time): return wait(until: time)
            case .fail(let error): return fail(error)
            case .timeOut:
                return fail(
                    SocketError(.connectTimedOut, .connect, subject: stream.remoteAddress.description))
            }
        }
    }

    private func recordFailure(_ error: SocketError, at address: SocketAddress) -> ConnectRace.Step {
        var error = error
        error.subject = address.description
        let now = stream.loop.now
        unreachable?.failed(address, now: now)
        return race.failed(error, now: now)
    }

    private func fail(_ error: SocketError) {
        // Addresses that did not answer in all this time should not come first next time.
        for candidate in candidates { unreachable?.failed(candidate.address, now: stream.loop.now) }
        cancel()
        abandonSocket()
        stream.failLater(error)
    }

    private func wait(until time: MonotonicTime) {
        stopTimer()
        timer = stream.loop.setTimer(at: time, target: self)
    }

    private func stopTimer() {
        if let timer { stream.loop.cancelTimer(timer) }
        timer = nil
    }

    func timerFired(_ token: TimerToken) {
        timer = nil
        perform(race.timePassed(now: stream.loop.now))
    }

    // MARK: One of several

    fileprivate func isReady(_ candidate: ConnectCandidate) {
        guard let code = Self.outcome(of: candidate.descriptor, to: candidate.address) else { return }
        candidates.removeAll { $0 === candidate }
        guard code == 0 else {
            candidate.close()
            return perform(recordFailure(SocketError(.connect, code), at: candidate.address))
        }
        // Attempts that started earlier and are still connecting are slow or unanswered.
        let now = stream.loop.now
        for other in candidates where other.began < candidate.began {
            unreachable?.failed(other.address, now: now)
        }
        unreachable?.connected(candidate.address)
        stream.remoteAddress = candidate.address
        stream.descriptor = candidate.takeDescriptor()
        connected()
    }

    // MARK: The only one

    private func connectSingle(_ address: SocketAddress) throws(SocketError) {
        stream.descriptor = try Descriptor.socket(address.family)
        do throws(SocketError) {
            let isConnected = try Descriptor.connect(stream.descriptor, to: address)
            if isConnected { return stream.runLater(.connected) }
            // Registered once for the whole connection. A TCP socket raises the write edge only after it was
            // full, so watching it costs nothing later.
            stream.register(EV_READ | EV_WRITE | EV_CLOSED | EV_ET | EV_PERSIST)
        } catch {
            close(stream.descriptor)
            stream.descriptor = -1
            throw error
        }
    }

    /// Handles an event of the stream's own socket, or an immediate connection.
    func socketIsReady() {
        let address = stream.remoteAddress
        guard let code = Self.outcome(of: stream.descriptor, to: address) else { return }
        if code == 0 { return connected() }
        abandonSocket()
        perform(recordFailure(SocketError(.connect, code), at: address))
    }

    private func abandonSocket() {
        if let event = stream.mainEvent.take() { event.retire(on: stream.loop) }
        if stream.descriptor >= 0 { close(stream.descriptor) }
        stream.descriptor = -1
    }

    // MARK: -

    private func connected() {
        cancel()
        stream.connected()
    }

    /// 0 if the socket is connected, an error number if it failed, nil if it is still connecting.
    private static func outcome(of descriptor: Int32, to address: SocketAddress) -> Int32? {
        let code = Descriptor.takeError(of: descriptor)
        guard code == 0 else { return code }
        guard let local = Descriptor.localAddress(of: descriptor),
            Descriptor.remoteAddress(of: descriptor) != nil
        else { return nil }
        // Connecting to an unused local port may pick that port as its own and connect to itself.
        return local != address || local.isUnix ? 0 : ECONNREFUSED
    }
}

private final class ConnectCandidate {
    let address: SocketAddress
    let began: MonotonicTime
    private(set) var descriptor: Int32
    private unowned let attempt: ConnectAttempt
    private let loop: EventLoop
    // Its unretained context is this candidate, which the attempt retains until the event is retired.
    private var event: EventHandle?

    init(_ address: SocketAddress, of attempt: ConnectAttempt, on loop: EventLoop) throws(SocketError) {
        self.address = address
        self.attempt = attempt
        self.loop = loop
        began = loop.now
        descriptor = try Descriptor.socket(address.family)
        do throws(SocketError) {
            // If it connects at once, the event reports that too.
            _ = try Descriptor.connect(descriptor, to: address)
            event = EventHandle(
                loop.base, descriptor, EV_WRITE | EV_ET | EV_PERSIST, candidateIsReady,
                Unmanaged.passUnretained(self).toOpaque())
            guard event?.add() == true else { throw SocketError(.register, errno) }
        } catch {
            event = nil
            Glibc.close(descriptor)
            throw error
        }
    }

    func isReady() { attempt.isReady(self) }

    /// Gives up ownership of the socket and returns it.
    func takeDescriptor() -> Int32 {
        if let event = event.take() { event.retire(on: loop) }
        return descriptor
    }

    func close() { Glibc.close(takeDescriptor()) }
}

private func candidateIsReady(_: Int32, _: Int16, context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    // Retained during the call, because the attempt may release it.
    Unmanaged<ConnectCandidate>.fromOpaque(context).takeUnretainedValue().isReady()
}

extension SocketStream {
    /// Starts connecting. `streamConnected` or `streamFailed` follows, from the loop. After `timeout` the
    /// attempt fails with `.connectTimedOut`.
    public static func connect(
        to address: SocketAddress, loop: EventLoop, timeout: TimeAmount, handler: (any StreamHandler)? = nil
    ) -> SocketStream {
        connect(to: [address], loop: loop, timeout: timeout, handler: handler)
    }

    /// Starts connecting to several addresses within one time limit (RFC 8305). They are tried in order: the
    /// next one starts when one has failed or has taken `delay`, without stopping it. The first to connect
    /// wins. `delay` is 100 ms to 2 s, and shorter if the addresses could not all be tried otherwise.
    static func connect(
        to addresses: [SocketAddress], loop: EventLoop, timeout: TimeAmount,
        delay: TimeAmount = ConnectRace.delay, handler: (any StreamHandler)? = nil
    ) -> SocketStream {
        let stream = connecting(
            to: addresses, first: addresses[0], loop: loop, timeout: timeout, delay: delay, handler: handler)
        stream.attempt?.start()
        return stream
    }

    /// Starts connecting to all addresses of a name, alternating IPv6 and IPv4. Addresses that failed within
    /// the last minute come last. The lookup counts towards the time limit. The attempt may fail with
    /// `.nameNotFound`, `.nameFailed` or `.nameTimedOut`. `remoteAddress` is `0.0.0.0:0` until an address is
    /// tried.
    public static func connect(
        toHost host: String, port: Int, resolver: Resolver, loop: EventLoop, timeout: TimeAmount,
        delay: TimeAmount = .milliseconds(250), handler: (any StreamHandler)? = nil
    ) -> SocketStream {
        if let address = SocketAddress(host: host, port: port), address.isDestination {
            return connect(to: address, loop: loop, timeout: timeout, handler: handler)
        }
        let unknown = SocketAddress(.ipv4(address: 0, port: 0))
        let stream = connecting(
            to: [], first: unknown, loop: loop, timeout: timeout, delay: delay, handler: handler)
        stream.attempt?.resolve(host, port: port, by: resolver)
        return stream
    }

    private static func connecting(
        to addresses: [SocketAddress], first: SocketAddress, loop: EventLoop, timeout: TimeAmount,
        delay: TimeAmount, handler: (any StreamHandler)?
    ) -> SocketStream {
        loop.preconditionCurrent("a stream must be connected on its event loop")
        let stream = SocketStream(loop: loop, descriptor: -1, remoteAddress: first, state: .connecting)
        stream.handler = handler
        stream.attempt = ConnectAttempt(
            stream, addresses: addresses, delay: delay, deadline: loop.now + timeout)
        stream.join()
        return stream
    }

    func connected() {
        attempt = nil
        state = .open
        // A Unix socket connects at once and becomes writable at each read of the peer, so watch that only
        // when needed.
        if mainEvent == nil { register(EV_READ | EV_CLOSED | EV_ET | EV_PERSIST) }
        if tls != nil { return startHandshake() }
        handler?.streamConnected()
        if state == .open, !queue.isEmpty { flush() }
    }
}
