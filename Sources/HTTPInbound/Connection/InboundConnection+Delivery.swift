internal import EventIO

/// The progress of a connection's output, in bytes since it was accepted.
struct Delivery {
    var taken: Int64
    var acknowledged: Int64

    /// Returns how many of an answer's `count` bytes, which end at offset `end` of the output, the client
    /// acknowledged.
    func acknowledged(of count: Int, end: Int64) -> Int {
        Int(min(max(0, acknowledged - (end - Int64(count))), Int64(count)))
    }

    /// Whether the kernel took any of an answer.
    func hasBegun(_ count: Int, end: Int64) -> Bool { taken > end - Int64(count) }
}

/// Complete answers, until the kernel has taken them or the connection ends.
extension InboundConnection: DeferredWork {
    /// The writes of this wake were offered to the kernel.
    func runDeferred() {
        reportTakenAnswers()
    }

    func reportTakenAnswers() {
        reportTakenAnswers(stream.bytesTaken)
    }

    private func reportTakenAnswers(_ taken: Int64) {
        while let (answer, _) = unsentAnswers.removeFirst(within: taken) {
            switch answer {
            case .exchange(let exchange): exchange.finished(.completed)
            case .direct(let answer): handler.answered(answer)
            }
        }
    }

    /// Returns the progress of the output; nil if it is not needed. Closing the stream loses it, so call this
    /// first.
    func delivery(_ ending: Ending) -> Delivery? {
        guard exchange != nil || !unsentAnswers.isEmpty || request.continueBytes > 0 else { return nil }
        switch ending {
        case .close: stream.sendNow()
        case .reset: break
        }
        return Delivery(taken: stream.bytesTaken, acknowledged: stream.bytesAcknowledged)
    }

    /// Reports all remaining answers of a connection that has ended.
    func reportCutAnswers(_ delivery: Delivery, _ outcome: InboundOutcome) {
        reportTakenAnswers(delivery.taken)
        // We closed the connection with output left, so the answer was cut.
        let outcome = outcome == .completed ? .aborted : outcome
        while let (answer, end) = unsentAnswers.removeFirst(within: .max) {
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
            server.requestEnded()
            if outcome == .clientGone { exchange.clientLeft() }
            exchange.cut(outcome, delivery, end: bytesWritten)
        }
    }
}
