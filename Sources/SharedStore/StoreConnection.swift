public import EventIO
internal import Queues
public import Resilience
public import Timers

/// One loop's connection to a store. Connects at once, and again whenever the connection is lost.
///
///     connecting  a socket is being opened, with TLS; commands wait
///     greeting    user, database and script are being sent; commands wait
///     ready       commands are sent as they come
///     resting     the last attempt failed; commands fail until the next one
///     ended       closed by the owner; commands fail
///
/// Replies come in the order of commands. A command whose time is over keeps its place until its reply has
/// come or the connection is lost.
///
/// Used on its loop only. `close` ends it.
public final class StoreConnection {
    /// The most commands that may wait for replies or for the connection.
    public static let mostWaiting = 1000
    /// The time for an attempt: the socket, TLS and the greeting.
    static let attemptTimeout = TimeAmount.seconds(5)
    /// How long a connection may be without a reply while commands wait, before it is replaced. A server that
    /// is only slow keeps it.
    static let mostSilence = TimeAmount.seconds(2)
    /// A connection that lasted this long is replaced at once when it is lost.
    private static let steady = TimeAmount.seconds(1)

    private var settings: StoreSettings
    let loop: EventLoop
    private let resolver: Resolver
    private let availability: StoreAvailability

    private(set) var state = State.resting(.ended)
    private var stream: SocketStream?
    private var reader = ReplyReader()
    private var expected = Queue<Expected>()
    /// Commands that wait for the connection.
    private var unsent = Queue<StoreCommand>()
    private var scriptName: [UInt8] = []
    private var breaker = StoreBreaker()
    private(set) var backoff = Backoff()
    private var attemptBegan = MonotonicTime(nanoseconds: 0)
    private var readySince = MonotonicTime(nanoseconds: 0)
    /// When the last reply came, or the first command after a pause was sent.
    private var progressedAt = MonotonicTime(nanoseconds: 0)
    /// While connecting and greeting: the end of the attempt. While resting: the next attempt.
    private var stateTimer: TimerToken?
    private var silenceTimer: TimerToken?
    private var availabilityTimer: TimerToken?

    /// Starts to connect. Call it on the loop.
    ///
    /// - Parameters:
    ///   - resolver: finds the addresses of the host.
    ///   - availability: shared by the connections of all loops.
    public init(
        _ settings: StoreSettings, on loop: EventLoop, resolver: Resolver, availability: StoreAvailability
    ) {
        loop.preconditionCurrent("a connection to a store must be made on its event loop")
        self.settings = settings
        self.loop = loop
        self.resolver = resolver
        self.availability = availability
        connect()
    }

    /// Uses another context of TLS for the next connection. The open one stays.
    public func use(_ tls: TLSContext) { settings.tls = tls }

    // MARK: Commands

    /// Takes one request from each of the limits, or from none of them if one refuses it. `deliver` is called
    /// once, on the loop, possibly before this returns.
    ///
    /// - Parameters:
    ///   - limits: at least one.
    ///   - time: how long to wait at most, if that is less than the timeout of the settings.
    ///   - deliver: gets one decision for each limit, in their order.
    public func take(
        _ limits: [StoreLimit], within time: TimeAmount = .never,
        deliver: @escaping (Result<[LimitDecision], StoreFailure>) -> Void
    ) {
        let now = loop.wakeTime
        switch state {
        case .ended: return deliver(.failure(.ended))
        case .resting(let failure): return refuse(failure, at: now, deliver)
        case .connecting, .greeting, .ready: break
        }
        while unsent.first?.hasEnded == true { _ = unsent.popFirst() }
        guard expected.count + unsent.count < Self.mostWaiting else {
            return refuse(.tooManyWaiting, at: now, deliver)
        }
        let admission = breaker.admit(at: now)
        if case .refused = admission { return refuse(.breakerIsOpen, at: now, deliver) }
        var isProbe = false
        if case .probes = admission { isProbe = true }
        let command = StoreCommand(
            limits, isProbe: isProbe, isShortened: time < settings.timeout, on: self, deliver: deliver)
        command.start(on: loop, deadline: now + min(time, settings.timeout))
        if case .ready = state { send(command) } else { unsent.append(command) }
    }

    /// Whether the connection is replaced at once if it is lost.
    var isSteady: Bool {
        if case .ready = state { loop.wakeTime - readySince >= Self.steady } else { false }
    }

    /// The commands that wait, with commands whose time is over.
    var waitingCount: Int { expected.count + unsent.count }

    private func refuse(_ failure: StoreFailure, at now: MonotonicTime, _ deliver: StoreCommand.Deliver) {
        availability.failed(failure, isCommand: true, at: now)
        deliver(.failure(failure))
    }

    private func send(_ command: StoreCommand) {
        let name = command.sendsScript ? nil : scriptName
        send(LimitScript.run(name, for: command.limits, prefix: settings.prefix), .command(command))
    }

    private func send(_ words: StoreWords, _ reply: Expected) {
        if expected.isEmpty { progressedAt = loop.wakeTime }
        expected.append(reply)
        StoreCommandText(words).withBytes { stream?.write($0) }
        if silenceTimer == nil { silenceTimer = loop.setTimer(after: Self.mostSilence, target: self) }
    }

    /// The time of a command is over.
    func timedOut(_ command: StoreCommand) {
        // The store had no chance to answer if the request had no time left, or if this process was stopped.
        end(
            command, with: .failure(.noReply),
            countsAgainstStore: !command.isShortened && !loop.areTimersLate)
    }

    private func end(
        _ command: StoreCommand, with result: Result<[LimitDecision], StoreFailure>,
        countsAgainstStore: Bool = true
    ) {
        guard let deliver = command.end(on: loop) else { return }
        let now = loop.wakeTime
        switch result {
        case .success:
            breaker.ended(isFailure: false, isProbe: command.isProbe, at: now)
            backoff.reset()
            answered(at: now)
        case .failure(let failure):
            if countsAgainstStore {
                breaker.ended(isFailure: true, isProbe: command.isProbe, at: now)
                availability.failed(failure, isCommand: true, at: now)
            } else if command.isProbe {
                breaker.probeCancelled(at: now)
            }
        }
        deliver(result)
    }

    private func answered(at now: MonotonicTime) { checkLater(availability.answered(at: now)) }

    private func checkLater(_ later: MonotonicTime?) {
        guard let later, availabilityTimer == nil else { return }
        availabilityTimer = loop.setTimer(at: later, target: self)
    }

    // MARK: Connecting

    private func connect() {
        let now = loop.wakeTime
        cancel(&stateTimer)
        availability.restEnded(ObjectIdentifier(self))
        state = .connecting
        attemptBegan = now
        reader = ReplyReader()
        switch settings.address {
        case .unix(let address):
            stream = SocketStream.connect(
                to: address, loop: loop, timeout: Self.attemptTimeout, handler: self)
        case .tcp(let host, let port):
            let stream = SocketStream.connect(
                toHost: host, port: port, resolver: resolver, loop: loop, timeout: Self.attemptTimeout,
                handler: self)
            if let tls = settings.tls {
                stream.startTLS(
                    tls, host: host, sessionKey: "\(host):\(port)", deadline: now + Self.attemptTimeout)
            }
            self.stream = stream
        }
        setStateTimer(at: now + Self.attemptTimeout)
    }

    /// Sends who we are, the number of the database and the script. The replies follow in this order.
    private func greet() {
        state = .greeting
        if let password = settings.password {
            var words = StoreWords("AUTH")
            if let user = settings.user { words.append(user) }
            words.append(password)
            send(words, .login)
        }
        if settings.database != 0 {
            send(StoreWords("SELECT", "\(settings.database)"), .database)
        }
        send(LimitScript.load, .script)
    }

    private func becomeReady() {
        let now = loop.wakeTime
        state = .ready
        readySince = now
        cancel(&stateTimer)
        checkLater(availability.connected(ObjectIdentifier(self), at: now))
        while let command = unsent.popFirst() {
            if !command.hasEnded { send(command) }
        }
    }

    /// The connection is lost, or an attempt failed.
    private func lose(_ failure: StoreFailure) {
        let now = loop.wakeTime
        let isSteady = isSteady
        let wasReady = disconnect()
        let commands = takeCommands()
        if !wasReady { availability.failed(failure, isCommand: false, at: now) }
        if isSteady {
            backoff.reset()
            connect()
        } else {
            rest(failure, until: max(now, attemptBegan + backoff.attemptFailed(jitter: .random(in: -1...1))))
        }
        for command in commands { end(command, with: .failure(failure)) }
    }

    /// Waits for the next attempt, or until another loop reaches the store.
    private func rest(_ failure: StoreFailure, until time: MonotonicTime) {
        state = .resting(failure)
        setStateTimer(at: time)
        let bound = LoopBound(self, loop: loop)
        availability.rests(ObjectIdentifier(self)) { bound.loop.execute { bound.value.wake() } }
    }

    private func wake() { if case .resting = state { connect() } }

    /// Closes the socket and returns whether the connection was ready.
    private func disconnect() -> Bool {
        cancel(&stateTimer)
        cancel(&silenceTimer)
        stream?.close()
        stream = nil
        guard case .ready = state else { return false }
        availability.disconnected()
        return true
    }

    private func takeCommands() -> [StoreCommand] {
        var commands: [StoreCommand] = []
        while let next = expected.popFirst() {
            if case .command(let command) = next { commands.append(command) }
        }
        while let command = unsent.popFirst() { commands.append(command) }
        return commands
    }

    /// Closes the connection. All commands fail. Does nothing the second time.
    public func close() {
        if case .ended = state { return }
        _ = disconnect()
        availability.restEnded(ObjectIdentifier(self), isLast: true)
        cancel(&availabilityTimer)
        state = .ended
        for command in takeCommands() { end(command, with: .failure(.ended), countsAgainstStore: false) }
    }

    // MARK: Replies

    private func received(_ reply: StoreReply) {
        guard let next = expected.popFirst() else { return lose(.unaskedReply) }
        progressedAt = loop.wakeTime
        switch next {
        case .login, .database:
            switch reply {
            case .status("OK"): break
            case .error(let text): lose(StoreFailure(reply: text))
            case .status, .integer, .bytes, .null, .array: lose(.unexpectedReply)
            }
        case .script:
            if case .error(let text) = reply { return lose(StoreFailure(reply: text)) }
            guard let name = LimitScript.name(in: reply) else { return lose(.unexpectedReply) }
            scriptName = name
            becomeReady()
        case .command(let command): received(reply, for: command)
        }
    }

    private func received(_ reply: StoreReply, for command: StoreCommand) {
        guard !command.hasEnded else {
            availability.replyWasLate()
            if case .array = reply { answered(at: loop.wakeTime) }
            return
        }
        if LimitScript.isUnknown(reply), !command.sendsScript {
            command.sendsScript = true
            return send(command)
        }
        if case .error(let text) = reply {
            let failure = StoreFailure(reply: text)
            end(command, with: .failure(failure))
            // The name may belong to another server by now, since a failover.
            if StoreFailure.isOfReplica(text), case .ready = state { lose(failure) }
            return
        }
        guard let decisions = LimitScript.decisions(reply, for: command.limits) else {
            end(command, with: .failure(.unexpectedReply))
            if case .ready = state { lose(.unexpectedReply) }
            return
        }
        end(command, with: .success(decisions))
    }
}

// MARK: - Timers

extension StoreConnection: TimerTarget {
    private func setStateTimer(at time: MonotonicTime) {
        cancel(&stateTimer)
        stateTimer = loop.setTimer(at: time, target: self)
    }

    private func cancel(_ timer: inout TimerToken?) {
        if let token = timer.take() { loop.cancelTimer(token) }
    }

    /// One of the connection's own timers fired.
    public func timerFired(_ token: TimerToken) {
        if token == stateTimer {
            stateTimer = nil
            stateTimerFired()
        } else if token == silenceTimer {
            silenceTimer = nil
            checkSilence()
        } else if token == availabilityTimer {
            availabilityTimer = nil
            guard let later = availability.check(at: loop.wakeTime) else { return }
            availabilityTimer = loop.setTimer(at: later, target: self)
        }
    }

    private func stateTimerFired() {
        switch state {
        case .connecting, .greeting: lose(StoreFailure(.unreachable, "the store did not answer within 5 s"))
        case .resting: connect()
        case .ready, .ended: break
        }
    }

    /// Replaces a connection on which nothing comes. The server may have forgotten it, for instance behind a
    /// firewall that did.
    private func checkSilence() {
        guard case .ready = state, !expected.isEmpty else { return }
        let now = loop.wakeTime
        let limit = loop.areTimersLate ? now + Self.mostSilence : progressedAt + Self.mostSilence
        guard now >= limit else {
            silenceTimer = loop.setTimer(at: limit, target: self)
            return
        }
        lose(.noReply)
    }
}

// MARK: - The socket

extension StoreConnection: StreamHandler {
    /// The socket is connected, with TLS if that is wanted.
    public func streamConnected() { greet() }

    /// Replies have arrived, or parts of them.
    public func streamReceived(_ bytes: UnsafeRawBufferPointer) {
        let (stream, reader) = (stream, reader)
        do throws(ReplyFault) {
            // A reply may end the connection.
            try reader.read(bytes) { reply in
                received(reply)
                return self.stream === stream
            }
        } catch {
            lose(StoreFailure(.protocol, "the server is not a Redis server: \(error)"))
        }
    }

    /// The server has closed the connection.
    public func streamReachedEnd() {
        lose(StoreFailure(.unreachable, "the store closed the connection"))
    }

    /// The connection broke, or could not be made.
    public func streamFailed(_ error: SocketError) {
        guard error.kind != .loopEnded else { return close() }
        lose(StoreFailure(.unreachable, "\(error)"))
    }
}
