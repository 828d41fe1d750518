import Dispatch
import Locking
import Networking
import Rx

/// One call whose response is passed on, and the body of the answer that passes it on.
///
/// The head waits until the first byte of the body arrives, at most `PassedResponse.headWait`: until then, a
/// response that breaks off is repeated or answered with an error. With a small body whose length is known,
/// it waits for the whole body, for as long, and so does the head of a response that may be replaced, up to
/// `PassedResponse.replaceable` bytes.
///
/// The pieces go to a sink as they arrive, or to a reader one by one. What arrives before it is wanted waits,
/// and the upstream pauses.
///
/// A success may come while the client's body is still on its way to the upstream. Its last piece then waits
/// until the upstream has the body: a client that has the whole response stops sending.
final class Relay: Sendable {
    private struct State {
        /// The subscription to the call, until that ends.
        var call: Link?
        var flow: (any FlowControl)?
        /// A head that waits for the first byte of its body, and the end of its wait.
        var head: TransportResponse?
        var headTimer: TimerToken?
        var awaitsWhole = false
        /// The bytes of the body so far, while the head waits.
        var held = 0
        /// Whether the answer has no content, so that the body is read and dropped.
        var dropsBody = false
        /// The bytes of the body that are still to come, if its end waits for the client's body; else nil.
        var left: Int?
        /// The end of the body, if it waits behind pieces that have been passed on.
        var last: ArraySlice<UInt8>?
        var sink: (any PieceSink)?
        /// What arrived while nobody waited for it.
        var waiting = PieceBuffer()
        /// Called when more of it waits.
        var onUnread: (@Sendable () -> Void)?
        var hasBegun = false
        var isCancelled = false

        enum Hold {
            case held, passesHead, passes
            /// The head waits no longer for its body, but for the client's.
            case heldToTheEnd
        }

        /// Whether the next piece is to be kept.
        var mayHold: Bool { head != nil && awaitsWhole && !dropsBody }

        /// Keeps a piece if the head waits for the whole body.
        ///
        /// - Parameter hasRoom: whether there is memory for it. If not, the head waits no longer.
        mutating func hold(_ piece: UnsafeRawBufferPointer, hasRoom: Bool) -> Hold {
            if dropsBody { return .held }
            if left != nil, holdEnd(piece) { return .heldToTheEnd }
            guard head != nil else { return .passes }
            held += piece.count
            guard awaitsWhole, hasRoom, held <= PassedResponse.replaceable else { return .passesHead }
            waiting.append(ArraySlice(piece))
            return .held
        }

        /// Keeps a piece that ends the body. Returns false if it does not.
        private mutating func holdEnd(_ piece: UnsafeRawBufferPointer) -> Bool {
            left = left.map { $0 - piece.count }
            guard left == 0 else { return false }
            if head == nil { last = ArraySlice(piece) } else { waiting.append(ArraySlice(piece)) }
            return true
        }

        /// Removes and returns what was held.
        mutating func takeHeld() -> ArraySlice<UInt8> {
            head.take() == nil ? [] : waiting.takeAll()
        }
    }

    let relayed: RelayedCall
    let overrides: AnswerOverrides
    private let run: EndpointRun
    /// Nil unless the client's body is still arriving.
    private let body: RelayedBody?
    private let state = Lock(State())

    init(_ run: EndpointRun, _ relayed: RelayedCall, _ overrides: AnswerOverrides, body: RelayedBody?) {
        self.run = run
        self.relayed = relayed
        self.overrides = overrides
        self.body = body
    }

    /// Sends the call. Its number tells the record that it belongs to no part.
    func start(_ call: consuming Single<TransportResponse>) {
        let link = (consume call).subscribe(self, number: -1)
        let isOver = state.withLock { state in
            if state.isCancelled { return true }
            if !state.waiting.hasEnded { state.call = link }
            return false
        }
        if isOver { link.stop() }
    }
}

extension Relay: CallObserver {
    var hasBegun: Bool { state.withLock { $0.hasBegun } || body?.hasBegun == true }

    var keepsDeadline: Bool { true }

    /// Whether the answer has no content, whatever the upstream sends.
    func isWithoutContent(_ head: TransportResponse) -> Bool {
        (overrides.status ?? head.status) == .resetContent
    }

    func callStarted(
        _ head: TransportResponse, replacedBy replacement: Replacement?, flow: any FlowControl
    ) -> BodyForm {
        let dropsBody = isWithoutContent(head)
        let left = body == nil || !head.status.isSuccess ? nil : bodyLength(of: head)
        // A response to HEAD has no body to wait for.
        let isWanted = run.request.isHead && replacement == nil && !dropsBody && left == nil
        let timer =
            isWanted || left == 0
            ? nil : run.scheduler.setTimer(after: run.longestHeadWait(replacement), target: self)
        state.withLock { state in
            state.flow = flow
            state.head = head
            state.headTimer = timer
            state.awaitsWhole = replacement != nil || PassedResponse.isWhole(head)
            state.held = 0
            state.dropsBody = dropsBody
            state.left = left
            state.last = nil
        }
        if isWanted { passOnHead() }
        return .pieces
    }

    /// Returns the number of bytes behind a head; nil if it is unknown.
    private func bodyLength(of head: TransportResponse) -> Int? {
        if head.status.forbidsBody || run.request.isHead || isWithoutContent(head) { return 0 }
        return head.fields[.contentLength].flatMap { Int($0) }
    }

    /// Begins the answer, unless it has begun or its attempt has failed.
    private func passOnHead() {
        let (head, timer) = state.withLock { state in
            let head = state.head.take()
            if head != nil { state.hasBegun = true }
            return (head, state.headTimer.take())
        }
        if let timer { run.scheduler.cancelTimer(timer) }
        if let head { run.relayBegan(head, self) }
    }

    func takeBody() -> ArraySlice<UInt8> {
        let (body, timer) = state.withLock { ($0.takeHeld(), $0.headTimer.take()) }
        if let timer { run.scheduler.cancelTimer(timer) }
        return body
    }

    private func dropHead() { _ = takeBody() }

    func attemptFailed() { dropHead() }

    func callReceived(_ piece: UnsafeRawBufferPointer) {
        let mayHold = state.withLock { $0.mayHold }
        let hasRoom = mayHold && run.keep(piece.count)
        let (held, sink) = state.withLock { ($0.hold(piece, hasRoom: hasRoom), $0.sink) }
        if let sink, case .passes = held { return sink.received(piece) }
        switch held {
        case .held: return
        case .heldToTheEnd:
            let timer = state.withLock { $0.headTimer.take() }
            if let timer { run.scheduler.cancelTimer(timer) }
            return
        case .passesHead:
            passOnHead()
            if let sink = state.withLock({ $0.sink }) { return sink.received(piece) }
        case .passes: break
        }
        let bytes = ArraySlice(piece)
        let (receiver, flow, onUnread) = state.withLock {
            ($0.waiting.received(bytes), $0.flow, $0.onUnread)
        }
        if let receiver { return receiver(.success(bytes)) }
        flow?.pause()
        onUnread?()
    }
}

extension Relay: TimerTarget {
    /// The body takes long.
    func timerFired(_ token: TimerToken) {
        let (isDue, unneeded) = state.withLock { state in
            let isDue = state.headTimer == token
            return (isDue, isDue && state.dropsBody ? state.head : nil)
        }
        guard isDue else { return }
        // Ends the call.
        if let unneeded { return run.relayEnded(unneeded, self) }
        passOnHead()
    }
}

extension Relay: SingleReceiver {
    func succeeded(_ response: consuming TransportResponse, number: Int) {
        if !ended(nil) { run.relayEnded(response, self) }
    }

    func failed(_ error: any Error, number: Int) {
        let isPassedOn = ended(error)
        // The client's body is the cause: too long, too slow or malformed.
        if !isPassedOn { run.fail(body?.failure ?? error) }
    }

    /// Returns whether some of the response has been passed on. Then its reader is told how it ended.
    private func ended(_ error: (any Error)?) -> Bool {
        dropHead()
        let end: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
        if error == nil { passOnEnd() }
        let (isPassedOn, sink, receiver) = state.withLock { state in
            state.flow = nil
            state.call = nil
            return (state.hasBegun, state.sink.take(), state.waiting.finish(end))
        }
        sink?.ended(error)
        receiver?(end.map { nil })
        return isPassedOn
    }
}

extension Relay {
    /// Passes on the last piece, if that has waited for the client's body.
    private func passOnEnd() {
        let (last, sink) = state.withLock { ($0.last.take(), $0.sink) }
        guard let last else { return }
        if let sink { return last.withUnsafeBytes { sink.received($0) } }
        let receiver = state.withLock { $0.waiting.received(last) }
        receiver?(.success(last))
    }
}

extension Relay: PieceSource {
    /// If some pieces have arrived, they have to be read.
    func send(to sink: any PieceSink) -> (any FlowControl)? {
        state.withLock { state in
            guard state.waiting.isEmpty, !state.waiting.hasEnded else { return nil }
            state.sink = sink
            return state.flow
        }
    }

    var unreadByteCount: Int { state.withLock { $0.waiting.byteCount } }

    func onUnread(_ report: @escaping @Sendable () -> Void) { state.withLock { $0.onUnread = report } }

    func read(_ receive: @escaping PieceReceiver) {
        let (piece, flow) = state.withLock { state in
            let piece = state.waiting.read(receive)
            return (piece, state.waiting.isEmpty ? state.flow : nil)
        }
        flow?.resume()
        if let piece { receive(piece) }
    }

    func cancel() {
        dropHead()
        let (call, receiver) = state.withLock { state in
            state.isCancelled = true
            state.sink = nil
            state.flow = nil
            return (state.call.take(), state.waiting.cancel())
        }
        call?.stop()
        receiver?(.failure(CancellationError()))
    }
}

extension Relay: Disposable {
    func dispose() { cancel() }
}
