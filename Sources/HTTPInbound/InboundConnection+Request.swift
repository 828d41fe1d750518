internal import HTTPModel
internal import HTTPWire

/// A request's turn, from its head to its handler.
extension InboundConnection {
    func begin(_ head: HTTPRequestHead, _ framing: RequestFraming, headBytes: Int) {
        turn = Turn(receivedAt: now)
        turn.bytesReceived = headBytes
        turn.method = head.method
        turn.version = head.version
        var head = head
        if head.method == .head { head.method = .get }
        turn.head = head

        let admission = state.requestBegan(isPersistent: framing.keepAlive)
        let limit: Int?
        switch decide(head, admission) {
        case .buffer(let most):
            limit = most
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
                // What a client merely promises reserves little.
                turn.body.reserveCapacity(min(length, 16_384))
            }
        case .answerUnread: answerDecided()
        case .refuseTooLarge: refuseTooLarge()
        }
    }

    /// The server's own answers come before the handler's.
    private func decide(_ head: HTTPRequestHead, _ admission: ConnectionStateMachine.Admission)
        -> BodyDecision
    {
        switch admission {
        case .draining:
            return .answer(server.errorRenderer(.draining(head: head)))
        case .serve:
            if turn.method == .options, let answer = server.optionsAnswer(head) { return .answer(answer) }
        }
        let decision = server.handler.decide(head)
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
        guard let head = turn.head else { return }
        let body = turn.body
        dropBody()
        guard !server.isOverloaded else {
            turn.decided = server.errorRenderer(.overloaded(head: head))
            return answerDecided()
        }
        let exchange = InboundExchange(
            request: HTTPRequest(head: head, body: body[...]), method: turn.method,
            receivedAt: turn.receivedAt, bytesReceived: turn.bytesReceived, connection: self)
        self.exchange = exchange
        server.requestCame()
        server.handler.handle(exchange)
    }

    /// The body is handed over, or nobody wants it any more.
    func dropBody() {
        server.release(bodyBytes: turn.body.count)
        turn.body = []
    }

    private func refuseTooLarge() {
        refuse(.bodyTooLarge(head: turn.head))
    }
}
