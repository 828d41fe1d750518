internal import HTTPModel
internal import HTTPWire

/// A request, from its head to its handler.
extension InboundConnection {
    func begin(_ head: consuming HTTPRequestHead, _ framing: RequestFraming, headBytes: Int) {
        turn = Turn(receivedAt: now)
        turn.bytesReceived = headBytes
        turn.method = head.method
        turn.version = head.version
        if head.method.isHead { head.method = .get }

        let admission = state.requestBegan(isPersistent: framing.keepAlive)
        let decision = decide(head, admission)
        turn.head = consume head
        let limit: Int?
        switch consume decision {
        case .buffer(let most, let context):
            limit = most
            turn.context = context
        case .answer(let response):
            limit = nil
            turn.decided = response
        }
        let body = framing.body
        switch state.verdictKnown(
            body: body, limit: limit, expectsContinue: framing.expectsContinue, at: turn.receivedAt)
        {
        case .dispatch: dispatch()
        case .read(let sendContinue):
            if sendContinue { self.sendContinue() }
            if case .length(let length) = body, limit != nil {
                // A Content-Length is only a promise, so it reserves little.
                turn.body.reserveCapacity(min(length, 16_384))
            }
        case .answerUnread: answerDecided()
        case .refuseTooLarge: refuseTooLarge()
        }
    }

    /// Decides about a request. The server's own answers come before the handler's.
    private func decide(_ head: HTTPRequestHead, _ admission: ConnectionStateMachine.Admission)
        -> BodyDecision
    {
        switch admission {
        case .draining:
            return .answer(server.errorRenderer(.draining(head: head)))
        case .serve:
            if turn.method == .options, let answer = server.optionsAnswer(head) { return .answer(answer) }
        }
        let decision = handler.decide(head)
        switch decision {
        case .buffer where server.isOverloaded:
            return .answer(server.errorRenderer(.overloaded(head: head)))
        case .buffer, .answer:
            return decision
        }
    }

    func bodyCame(_ bytes: UnsafeRawBufferPointer) {
        switch state.bodyReceived(bytes.count) {
        case .drop: break
        case .refuseTooLarge: refuseTooLarge()
        case .keep:
            guard server.take(bodyBytes: bytes.count) else { return refuse(.overloaded(head: turn.head)) }
            turn.body.append(contentsOf: bytes)
        }
    }

    func bodyEnded() {
        state.bodyCompleted()
        dispatch()
    }

    private func dispatch() {
        if turn.decided != nil { return answerDecided() }
        guard !server.isOverloaded else {
            dropBody()
            turn.decided = server.errorRenderer(.overloaded(head: turn.head))
            return answerDecided()
        }
        server.release(bodyBytes: turn.body.count)
        let exchange = handler.exchange(for: InboundExchange.Arrival(connection: self))
        self.exchange = exchange
        server.requestCame()
        handler.handle(exchange)
    }

    /// Discards the body.
    func dropBody() {
        server.release(bodyBytes: turn.body.count)
        turn.body = []
    }

    private func refuseTooLarge() {
        refuse(.bodyTooLarge(head: turn.head))
    }
}
