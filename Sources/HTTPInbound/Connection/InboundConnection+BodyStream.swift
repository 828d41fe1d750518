internal import EventIO
internal import HTTPModel
internal import HTTPWire

/// Bodies that the handler reads as they arrive.
extension InboundConnection {
    /// Starts the exchange of a request whose body is streamed.
    func beginStreaming(_ framing: RequestFraming, limit: Int) {
        let action = state.streamingDecided(
            body: framing.body, limit: limit, expectsContinue: framing.expectsContinue)
        switch action {
        case .refuseTooLarge: return refuse(.bodyTooLarge(head: currentHead))
        case .startComplete: break
        case .start: bodyReader = InboundBodyReader(self)
        }
        if let exchange = request.exchange { start(exchange) }
    }

    /// The reader asks for a piece. `hasPiece`: one has arrived.
    func bodyIsWanted(hasPiece: Bool) {
        if hasPiece {
            deliverBody()
        } else if state.bodyAwaited(at: now), let exchange {
            exchange.sentContinue(writeContinue())
        }
        // Refill, and set the deadline of a reader that waits.
        continueParsing()
    }

    func bodyIsUnwanted() { state.bodyUnwanted(at: now) }

    /// The reader took the first of the unread bytes.
    func bodyTaken(_ count: Int) { state.bodyTaken(count, at: now) }

    /// The reader has no use for a piece any more.
    func bodyUsed(_ count: Int) { server.bodies.release(count) }

    func keepForReader(_ bytes: UnsafeRawBufferPointer) {
        guard server.bodies.reserve(bytes.count) else {
            _ = state.requestFailed()
            return failBody(.overloaded(.bodyMemory, head: nil))
        }
        bodyReader?.append(bytes)
    }

    /// Notes why no more of the body can be read. The next delivery tells the reader, once it has the bytes
    /// before.
    func failBody(_ error: InboundError) { bodyReader?.fail(error) }

    /// Passes what this batch of events brought to a waiting reader.
    func deliverBody() {
        noteBodyBytes()
        bodyReader?.deliver()
    }

    /// Ends the reader together with its request.
    func closeBody(_ outcome: InboundOutcome) {
        noteBodyBytes()
        guard let reader = bodyReader.take() else { return }
        server.bodies.release(reader.close(outcome))
    }

    func noteBodyBytes() {
        if bodyReader != nil { exchange?.receivedBytes = request.bytesReceived }
    }
}
