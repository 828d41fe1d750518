internal import HTTPModel
internal import HTTPWire

extension InboundConnection {
    func begin(_ head: consuming HTTPRequestHead, _ framing: RequestFraming, headBytes: Int) {
        request = RequestInProgress(receivedAt: now)
        request.bytesReceived = headBytes
        request.method = head.method
        request.version = head.version
        if head.method.isHead { head.method = .get }

        state.requestBegan(isPersistent: framing.keepAlive)
        if !holdsPlace, !server.givePlace(to: self) {
            request.head = consume head
            return answerAboveLimit()
        }
        // Read once for both of its calls, since each read of the variable retains it.
        let handler = handler
        let decision = decide(head, by: handler)
        request.head = consume head
        let limit: Int?
        switch consume decision {
        case .buffer(let most, let context):
            limit = most
            request.context = context
        case .answer(let response, let refused):
            limit = nil
            request.decided = DecidedAnswer(response, refused: refused)
        case .stream(let most, let context):
            request.context = context
            return beginStreaming(framing, limit: most)
        }
        let body = framing.body
        switch state.verdictKnown(
            body: body, limit: limit, expectsContinue: framing.expectsContinue, at: request.receivedAt)
        {
        case .dispatch: dispatch(to: handler)
        case .read(let sendContinue):
            if sendContinue { self.sendContinue() }
            if case .length(let length) = body, limit != nil { request.expectBody(of: length) }
        case .answerUnread: answerDecided()
        case .refuseTooLarge: refuseTooLarge()
        }
    }

    /// Decides about a request. The server's own answers come before the handler's.
    private func decide(_ head: HTTPRequestHead, by handler: any InboundHandler) -> BodyDecision {
        if request.method == .options, let answer = server.optionsAnswer(head) { return .answer(answer) }
        let decision = handler.decide(head)
        switch decision {
        case .buffer where server.isOverloaded, .stream where server.isOverloaded:
            return .answer(server.errorRenderer(.overloaded(head: head)))
        case .buffer, .stream, .answer:
            return decision
        }
    }

    /// Answers the only request of a connection above the connection limit, without its body.
    private func answerAboveLimit() {
        guard let head = request.head, let answer = handler.answerAboveLimit(head) else {
            server.refusedAboveLimit()
            return refuse(.overloaded(head: request.head))
        }
        state.refusalBegan()
        answerDirectly(answer, error: nil)
    }

    func bodyReceived(_ bytes: UnsafeRawBufferPointer) {
        switch state.bodyReceived(bytes.count) {
        case .drop: break
        case .keepForReader: keepForReader(bytes)
        case .failTooLarge: failBody(.bodyTooLarge(head: nil))
        case .answerUnread: answerDecided()
        case .refuseTooLarge: refuseTooLarge()
        case .keep:
            guard server.bodies.reserve(bytes.count) else {
                return refuse(.overloaded(head: request.head))
            }
            request.appendToBody(bytes)
        }
    }

    func bodyEnded() {
        state.bodyCompleted()
        if let bodyReader { bodyReader.complete() } else { dispatch(to: handler) }
    }

    private func dispatch(to handler: any InboundHandler) {
        if request.decided != nil { return answerDecided() }
        guard !server.isOverloaded else {
            dropBody()
            request.decided = DecidedAnswer(server.errorRenderer(.overloaded(head: request.head)))
            return answerDecided()
        }
        startExchange(by: handler)
    }

    func startExchange(by handler: any InboundHandler) {
        let exchange = handler.exchange(for: InboundExchange.Arrival(connection: self))
        self.exchange = exchange
        server.requestStarted()
        exchange.start()
    }

    func dropBody() {
        server.bodies.release(request.takeBody().count)
    }

    /// Takes the complete body for its exchange, with the charge for its memory if it is large or may grow.
    /// Another one counts until the exchange ends.
    func takeBody() -> (bytes: [UInt8], charge: BodyCharge?) {
        let body = request.takeBody()
        guard !body.isEmpty else { return (body, nil) }
        let isCoded = request.head?.fields.contains(.contentEncoding) ?? false
        if isCoded || body.count > BodyCharge.least {
            return (body, server.bodies.charge(body, isCoded: isCoded))
        }
        request.countedBody = body.count
        return (body, nil)
    }

    private func refuseTooLarge() {
        refuse(.bodyTooLarge(head: request.head))
    }
}
