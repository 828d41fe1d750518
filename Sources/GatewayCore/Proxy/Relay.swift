import Locking
import Networking
import Rx

/// One call whose response is passed on, and the body of the answer that passes it on.
///
/// The pieces go to a sink as they arrive, or to a reader one by one. What arrives before it is wanted waits, and the upstream pauses.
final class Relay: Sendable {
    typealias Receiver = @Sendable (Result<ArraySlice<UInt8>?, any Error>) -> Void

    private struct State {
        /// The subscription to the call, until that ends.
        var call: Link?
        var flow: (any FlowControl)?
        var sink: (any PieceSink)?
        var receiver: Receiver?
        /// What arrived while nobody waited for it.
        var waiting: [ArraySlice<UInt8>] = []
        var end: Result<Void, any Error>?
        var hasBegun = false
        var isCancelled = false
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
            if state.end == nil { state.call = link }
            return false
        }
        if isOver { link.stop() }
    }
}

extension Relay: CallObserver {
    var hasBegun: Bool { state.withLock { $0.hasBegun } || body?.hasBegun == true }

    var keepsDeadline: Bool { true }

    func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm {
        state.withLock { state in
            state.flow = flow
            state.hasBegun = true
        }
        run.relayBegan(head, self)
        return .pieces
    }

    func callReceived(_ piece: UnsafeRawBufferPointer) {
        if let sink = state.withLock({ $0.sink }) { return sink.received(piece) }
        let bytes = ArraySlice(piece)
        let (receiver, flow) = state.withLock { state -> (Receiver?, (any FlowControl)?) in
            if let receiver = state.receiver.take() { return (receiver, nil) }
            state.waiting.append(bytes)
            return (nil, state.flow)
        }
        flow?.pause()
        receiver?(.success(bytes))
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
        let end: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
        var (sink, receiver): ((any PieceSink)?, Receiver?)
        let isPassedOn = state.withLock { state in
            state.end = end
            state.flow = nil
            state.call = nil
            sink = state.sink.take()
            receiver = state.receiver.take()
            return state.hasBegun
        }
        sink?.ended(error)
        receiver?(end.map { nil })
        return isPassedOn
    }
}

extension Relay: PieceSource {
    /// Returns what pauses the pieces, which go to `sink` from now on; nil if some have arrived, so that they have to be read.
    func relay(to sink: any PieceSink) -> (any FlowControl)? {
        state.withLock { state in
            guard state.waiting.isEmpty, state.end == nil else { return nil }
            state.sink = sink
            return state.flow
        }
    }

    func read(_ receiver: @escaping Receiver) {
        enum Next {
            case piece(ArraySlice<UInt8>, (any FlowControl)?)
            case end(Result<Void, any Error>)
            case later((any FlowControl)?)
        }
        let next = state.withLock { state -> Next in
            if !state.waiting.isEmpty {
                let piece = state.waiting.removeFirst()
                return .piece(piece, state.waiting.isEmpty ? state.flow : nil)
            }
            if let end = state.end { return .end(end) }
            if state.isCancelled { return .end(.failure(CancellationError())) }
            state.receiver = receiver
            return .later(state.flow)
        }
        switch next {
        case .piece(let piece, let flow):
            flow?.resume()
            receiver(.success(piece))
        case .end(let end): receiver(end.map { nil })
        case .later(let flow): flow?.resume()
        }
    }

    func cancel() {
        let (call, receiver) = state.withLock { state in
            state.isCancelled = true
            state.waiting = []
            state.sink = nil
            state.flow = nil
            return (state.call.take(), state.receiver.take())
        }
        call?.stop()
        receiver?(.failure(CancellationError()))
    }
}

extension Relay: Disposable {
    func dispose() { cancel() }
}
