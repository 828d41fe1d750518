internal import EventIO

/// How far a connection's output has got, in bytes since it was accepted.
struct Delivery {
    var taken: Int64
    var acknowledged: Int64

    /// How much of an answer the client acknowledged.
    ///
    /// - Parameters:
    ///   - end: where the bytes of the answer end that were handed to the stream.
    ///   - count: how many those are.
    func acknowledged(of count: Int, end: Int64) -> Int {
        Int(min(max(0, acknowledged - (end - Int64(count))), Int64(count)))
    }

    /// Whether the kernel took any of it.
    func hasBegun(_ count: Int, end: Int64) -> Bool { taken > end - Int64(count) }
}

/// Complete answers, up to the moment that the kernel has taken them or the connection ends.
extension InboundConnection: DeferredWork {
    /// What this wake wrote was offered to the kernel.
    func runDeferred() {
        tellTakenAnswers()
    }

    /// Tells of those answers that the kernel has taken whole.
    func tellTakenAnswers() {
        tellTakenAnswers(stream.bytesTaken)
    }

    private func tellTakenAnswers(_ taken: Int64) {
        while let (answer, _) = leaving.removeFirst(within: taken) {
            switch answer {
            case .exchange(let exchange): exchange.finished(.completed)
            case .direct(let answer): handler.answered(answer)
            }
        }
    }

    /// How far the output has got; nil where nobody needs to know. Before the stream is closed, as the kernel forgets then.
    func delivery(_ manner: Manner) -> Delivery? {
        guard exchange != nil || !leaving.isEmpty || turn.continueBytes > 0 else { return nil }
        switch manner {
        case .close: stream.sendNow()
        case .reset: break
        }
        return Delivery(taken: stream.bytesTaken, acknowledged: stream.bytesAcknowledged)
    }

    /// The connection has ended: tells of all answers that are left.
    func tellCutAnswers(_ delivery: Delivery, _ outcome: InboundOutcome) {
        tellTakenAnswers(delivery.taken)
        // A connection that we close with output left cuts it, whatever the reason.
        let outcome = outcome == .completed ? .aborted : outcome
        while let (answer, end) = leaving.removeFirst(within: .max) {
            switch answer {
            case .exchange(let exchange): exchange.cut(outcome, delivery, end: end)
            case .direct(var answer):
                answer.outcome = outcome
                answer.hasBegun = delivery.hasBegun(answer.bytesSent - answer.continueBytes, end: end)
                answer.bytesSent = delivery.acknowledged(of: answer.bytesSent, end: end)
                handler.answered(answer)
            }
        }
        if let exchange {
            self.exchange = nil
            server.requestLeft()
            if outcome == .clientGone { exchange.clientLeft() }
            exchange.cut(outcome, delivery, end: bytesHanded)
        }
    }
}
