internal import HTTPModel
internal import HTTPWire

extension InboundConnection {
    func begin(_ head: consuming HTTPRequestHead, _ framing: RequestFraming, headBytes: Int) {
        request = RequestInProgress(receivedAt: now)
        request.bytesReceived = headBytes
        request.method = head.method
        request.version = head.version
        if head.method.isHead { head.method = .get }
        if clientRules.areNeeded { request.peer = identifyClient(&head) }

        state.requestBegan(isPersistent: framing.keepAlive)
        if !holdsPlace, !server.givePlace(to: self) {
            request.head = consume head
            return answerAboveLimit()
        }
        request.head = consume head
        let limit: Int?
        let body = framing.body
        switch decide() {
        case .buffer(let most, let exchange):
            request.exchange = exchange
            // A request without a body starts at once, and is asked then.
            limit = body.isEmpty || hasRoom(for: exchange) ? most : nil
        case .answer(let response, let note):
            limit = nil
            request.decided = DecidedAnswer(response, note)
        case .stream(let most, let exchange):
            request.exchange = exchange
            if hasRoom(for: exchange) { return beginStreaming(framing, limit: most) }
            limit = nil
        case .ignore(let exchange):
            request.exchange = exchange
            limit = nil
        }
        switch state.verdictKnown(
            body: body, limit: limit, expectsContinue: framing.expectsContinue, at: request.receivedAt)
        {
        case .dispatch: dispatch()
        case .read(let sendContinue):
            if sendContinue { self.sendContinue() }
            guard limit != nil else {
                request.ignoresBody = true
                return
            }
            if case .length(let length) = body { request.expectBody(of: length) }
        case .answerUnread: dispatch()
        case .refuseTooLarge: refuseTooLarge()
        }
    }

    /// Decides about a request. The server's own answers come before the handler's.
    private func decide() -> BodyDecision {
        if request.method == .options, let head = request.head, let answer = server.optionsAnswer(head) {
            return .answer(answer)
        }
        return handler.decide(InboundExchange.Arrival(connection: self))
    }

    /// Decides about overload: by the server's limit of requests in flight, then by the exchange. Without
    /// room the answer is decided, and the exchange goes.
    private func hasRoom(for exchange: InboundExchange) -> Bool {
        if server.isOverloaded {
            let error = InboundError.overloaded(head: exchange.request.head)
            request.decided =
                if let (response, note) = exchange.answer(to: error) {
                    DecidedAnswer(response, note, error: error)
                } else {
                    DecidedAnswer(server.errorRenderer(error), error: error)
                }
        } else if let (response, note) = exchange.overloadAnswer() {
            request.decided = DecidedAnswer(response, note)
        } else {
            return true
        }
        request.head = exchange.request.head
        request.exchange = nil
        return false
    }

    /// Answers the only request of a connection above the connection limit, without its body.
    private func answerAboveLimit() {
        guard let head = request.head, let answer = handler.healthAnswer(to: head) else {
            server.refusedAboveLimit()
            return refuse(.overloaded(.connectionLimit, head: request.head))
        }
        state.refusalBegan()
        answerDirectly(answer, error: nil)
    }

    func bodyReceived(_ bytes: UnsafeRawBufferPointer) {
        switch state.bodyReceived(bytes.count) {
        case .drop: break
        case .keepForReader: keepForReader(bytes)
        case .failTooLarge: failBody(.bodyTooLarge(head: nil))
        case .answerUnread: dispatch()
        case .close: end(.close, .completed)
        case .refuseTooLarge: refuseTooLarge()
        case .keep:
            guard server.bodies.reserve(bytes.count) else {
                return refuse(.overloaded(.bodyMemory, head: currentHead))
            }
            request.appendToBody(bytes)
        }
    }

    func bodyEnded() {
        state.bodyCompleted(at: now)
        guard state.isAnswerPending else { return reportWaiting() }
        if let bodyReader { bodyReader.complete() } else if exchange == nil { dispatch() }
    }

    /// Answers a request whose body does not matter, unless all of it has arrived. What has arrived is parsed
    /// first: if it is malformed, the answer is 400.
    func answerBeforeBody() {
        guard isOpen, pending.isEmpty, state.bodyIgnored(at: now) else { return }
        request.ignoresBody = false
        dispatch()
    }

    private func dispatch() {
        guard let exchange = request.exchange else { return answerDecided() }
        if hasRoom(for: exchange) { return start(exchange) }
        dropBody()
        answerDecided()
    }

    func start(_ exchange: InboundExchange) {
        exchange.arrived(on: self)
        request.exchange = nil
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
        let isCoded = currentHead?.fields.contains(.contentEncoding) ?? false
        if isCoded || body.count > BodyCharge.least {
            return (body, server.bodies.charge(body, isCoded: isCoded))
        }
        request.countedBody = body.count
        return (body, nil)
    }

    private func refuseTooLarge() {
        refuse(.bodyTooLarge(head: currentHead))
    }
}

extension RequestFraming.Body {
    fileprivate var isEmpty: Bool { self == .none || self == .length(0) }
}
