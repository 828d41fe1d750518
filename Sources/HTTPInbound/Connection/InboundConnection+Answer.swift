internal import EventIO
internal import HTTPModel
internal import HTTPWire

extension InboundConnection {
    /// Bodies up to this size are copied behind the head and written at once; larger ones are gathered in
    /// place.
    static var copiedBytes: Int { 16 * 1024 }

    // MARK: Whole answers

    func respond(_ response: HTTPResponse, on exchange: InboundExchange) {
        guard isOpen else { return }
        exchange.sentBytes += write(response)
        complete(.exchange(exchange))
    }

    /// Sends the answer that was decided on before the body was read.
    func answerDecided() {
        guard let answer = request.decided.take() else { return }
        answerDirectly(answer.response, error: answer.error, answer.note)
    }

    /// Refuses a request that could not be read, with `Connection: close`. Further input is not interpreted.
    func refuse(_ error: InboundError, _ failed: RequestInProgress) {
        request = failed
        refuse(error)
    }

    func refuse(_ error: InboundError) {
        dropBody()
        state.refusalBegan()
        if let answer = request.exchange?.answer(to: error) {
            return answerDirectly(answer.response, error: error, answer.note)
        }
        answerDirectly(server.errorRenderer(error), error: error)
    }

    func answerDirectly(_ response: HTTPResponse, error: InboundError?, _ note: AnswerNote? = nil) {
        let sent = write(response)
        var answer = directAnswer(response, error: error, bytesSent: sent, outcome: .completed)
        if let note { answer.note = note }
        complete(.direct(answer))
    }

    /// Describes the current request, which has no exchange.
    func directAnswer(
        _ response: HTTPResponse?, error: InboundError? = nil, bytesSent: Int = 0, outcome: InboundOutcome
    ) -> DirectAnswer {
        DirectAnswer(
            head: currentHead, method: request.method, error: error,
            note: AnswerNote(refused: error?.parts ?? []), response: response,
            remoteAddress: peer.address, remoteText: peer.text, tlsVersion: peer.security?.version,
            clientCertificate: peer.security?.clientCertificate,
            clientText: (request.peer ?? peer).clientText, receivedAt: request.receivedAt,
            bytesReceived: request.bytesReceived,
            bytesSent: bytesSent + request.continueBytes, continueBytes: request.continueBytes,
            hasBegun: bytesSent > 0, outcome: outcome)
    }

    var currentHead: HTTPRequestHead? { request.currentHead ?? exchange?.request.head }

    /// Writes head and body. Returns their size.
    private func write(_ response: HTTPResponse) -> Int {
        let keepAlive = !state.answerBegan(delimitedByClose: false, hasInput: hasInput)
        if let sent = writeInPlace(response, keepAlive) { return sent }
        return withOutput { output in
            var response = response
            var transfer = appendHead(of: response, keepAlive, to: &output)
            if transfer == nil {
                response = server.errorRenderer(.unwritable(head: currentHead))
                transfer = appendHead(of: response, keepAlive, to: &output)
            }
            if transfer == nil {
                response = HTTPResponse(status: .internalServerError)
                transfer = appendHead(of: response, keepAlive, to: &output)
            }
            switch transfer {
            case .identity: return send(&output, response.body)
            case nil, .some(.none), .chunked, .untilClose: return send(&output, [])
            }
        }
    }

    private var date: ArraySlice<UInt8> {
        peer.security == nil ? server.date.current : server.date.currentSecure
    }

    private func context(keepAlive: Bool) -> ResponseSerializer.Context {
        ResponseSerializer.Context(
            version: request.version, isHead: request.method?.isHead ?? false, keepAlive: keepAlive,
            hasTransportSecurity: peer.security != nil && server.date.strictTransportSecurity != nil)
    }

    /// Assembles a small answer directly in the outbox, which saves a buffer and a copy. Returns nil and
    /// writes nothing if that is not possible.
    private func writeInPlace(_ response: HTTPResponse, _ keepAlive: Bool) -> Int? {
        let bodyCount = response.bodyCount
        let date = date
        let most = ResponseSerializer.headCapacity(response.fields, date: date) &+ bodyCount
        let context = context(keepAlive: keepAlive)
        var sent = 0
        let isWritten = stream.writeInPlace(atMost: most) { room in
            let head = try? ResponseSerializer.writeHead(
                response.status, response.fields, body: .length(bodyCount), context: context, date: date,
                to: room)
            guard let head else { return 0 }
            sent = head.length
            guard case .identity = head.outcome.transfer else { return sent }
            for piece in response.body {
                UnsafeMutableRawBufferPointer(rebasing: room[sent...]).copyBytes(from: piece)
                sent &+= piece.count
            }
            return sent
        }
        guard isWritten, sent > 0 else { return nil }
        bytesWritten &+= Int64(sent)
        return sent
    }

    private func appendHead(
        of response: HTTPResponse, _ keepAlive: Bool, to output: inout [UInt8]
    ) -> ResponseSerializer.Transfer? {
        appendHead(response.status, response.fields, .length(response.bodyCount), keepAlive, to: &output)
    }

    /// Returns nil and appends nothing if the head is invalid, such as a field with a line break.
    private func appendHead(
        _ status: HTTPStatus, _ fields: HTTPFields, _ body: ResponseSerializer.Body, _ keepAlive: Bool,
        to output: inout [UInt8]
    ) -> ResponseSerializer.Transfer? {
        let outcome = try? ResponseSerializer.appendHead(
            status, fields, body: body, context: context(keepAlive: keepAlive), date: date, to: &output)
        return outcome?.transfer
    }

    // MARK: Streams

    /// Starts a streamed answer. If the head is invalid, sends a 500 and returns nil.
    func startStreaming(_ head: HTTPResponseHead, on exchange: InboundExchange) -> BodyWriter.Framing? {
        guard isOpen else { return nil }
        let length = head.fields[.contentLength].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
        let keepAlive = !state.answerBegan(
            delimitedByClose: request.version == .http10, hasInput: hasInput)
        let framing: BodyWriter.Framing? = withOutput { output in
            let body = length.map { ResponseSerializer.Body.length($0) } ?? .stream
            guard let transfer = appendHead(head.status, head.fields, body, keepAlive, to: &output) else {
                return nil
            }
            exchange.sentBytes += send(&output, [])
            switch transfer {
            case .none: return .nothing
            case .identity: return .length(length ?? 0)
            case .chunked: return .chunked
            case .untilClose: return .untilClose
            }
        }
        guard let framing else {
            respond(server.errorRenderer(.unwritable(head: currentHead)), on: exchange)
            return nil
        }
        settle()
        return framing
    }

    /// Sends part of a body without framing it.
    func send(_ bytes: ArraySlice<UInt8>, on exchange: InboundExchange) {
        guard isOpen else { return }
        bytesWritten += Int64(bytes.count)
        exchange.sentBytes += bytes.count
        stream.write(bytes)
        settle()
    }

    /// The same for bytes that are valid during the call only.
    func send(_ bytes: UnsafeRawBufferPointer, on exchange: InboundExchange) {
        guard isOpen else { return }
        bytesWritten += Int64(bytes.count)
        exchange.sentBytes += bytes.count
        stream.write(bytes)
        settle()
    }

    func sendChunk(_ bytes: UnsafeRawBufferPointer, on exchange: InboundExchange) {
        guard isOpen else { return }
        exchange.sentBytes += withOutput { output in
            ChunkedEncoding.appendSize(bytes.count, to: &output)
            guard bytes.count > Self.copiedBytes else {
                output.append(contentsOf: bytes)
                output.append(contentsOf: Self.lineEnd)
                return send(&output, [])
            }
            // The stream holds the size back to send it with the bytes.
            var count = send(&output, []) + bytes.count
            bytesWritten += Int64(bytes.count)
            stream.write(bytes)
            output.removeAll(keepingCapacity: true)
            output.append(contentsOf: Self.lineEnd)
            count += send(&output, [])
            return count
        }
        settle()
    }

    func sendChunk(_ bytes: ArraySlice<UInt8>, on exchange: InboundExchange) {
        guard isOpen else { return }
        exchange.sentBytes += withOutput { output in
            ChunkedEncoding.appendSize(bytes.count, to: &output)
            return send(&output, [bytes, Self.lineEnd])
        }
        settle()
    }

    private static let lineEnd: ArraySlice<UInt8> = [13, 10]

    func finishStreaming(lastChunk: Bool, on exchange: InboundExchange) {
        guard isOpen else { return }
        if lastChunk {
            exchange.sentBytes += withOutput { output in
                ChunkedEncoding.appendEnd(to: &output)
                return send(&output, [])
            }
        }
        complete(.exchange(exchange))
    }

    // MARK: Not HTTP

    func closeRaw(on exchange: InboundExchange) {
        guard isOpen else { return }
        _ = state.answerBegan(delimitedByClose: true)
        complete(.exchange(exchange))
    }

    /// Breaks off an answer. Sends what has been written of it first, so that the client never sees a reset
    /// without a byte.
    func abort() {
        guard isOpen else { return }
        stream.sendNow()
        end(.reset, .aborted)
    }

    // MARK: Bytes

    func sendContinue() {
        request.continueBytes = writeContinue()
    }

    /// Returns the size of the 100 (Continue).
    func writeContinue() -> Int {
        withOutput { output in
            ResponseSerializer.appendInformational(.continue, to: &output)
            return send(&output, [])
        }
    }

    /// Lends the server's buffer, emptied.
    private func withOutput<Result>(_ body: (inout [UInt8]) -> Result) -> Result {
        var output: [UInt8] = []
        swap(&output, &server.output)
        output.removeAll(keepingCapacity: true)
        defer { swap(&output, &server.output) }
        return body(&output)
    }

    /// Writes `output` and `body`: in one buffer if the body is small, else gathered.
    private func send(_ output: inout [UInt8], _ body: [ArraySlice<UInt8>]) -> Int {
        let length = body.reduce(0) { $0 + $1.count }
        let total = output.count + length
        bytesWritten += Int64(total)
        if length <= Self.copiedBytes {
            for piece in body { output.append(contentsOf: piece) }
            output.withUnsafeBytes { stream.write($0) }
        } else {
            stream.write([output[...]] + body)
        }
        return total
    }

    // MARK: The end of an answer

    /// Ends an answer after its last byte was passed to the stream.
    private func complete(_ answer: UnsentAnswers.Answer) {
        if case .exchange(let answered) = answer {
            if bodyReader != nil { closeBody(.completed) }
            exchange = nil
            heldBytes = 0
            unreadBytes = 0
            server.requestEnded()
            answered.answerCompleted(on: self)
            answered.passedOn()
            if answered.sentBytes >= EventLoop.largeMemory { loop.largeMemoryWasFreed() }
        }
        onDrain = nil
        let isFirst = unsentAnswers.isEmpty
        unsentAnswers.append(answer, end: bytesWritten)
        // Shut the stream now, so that the FIN leaves together with the answer.
        if state.isClosing { stream.shutdownWrite() }
        let after = state.answerCompleted(queueIsEmpty: isFlushed, at: now)
        // Report the answer when the kernel has it. If it waits for the client, `streamFlushed` reports it.
        if isFlushed, isFirst { loop.afterWrites(self) }
        perform(after)
    }

    func perform(_ action: ConnectionStateMachine.AfterAnswer) {
        switch action {
        case .flush:
            settle()
        case .nextRequest:
            reportWaiting()
            continueParsing()
        case .shutdownAndDiscard:
            // Not shut yet if a body has failed while its complete answer waited for the client.
            stream.shutdownWrite()
            reportWaiting()
            settle()
        case .close:
            end(.close, .completed)
        }
    }

    /// Handles an exchange that its handler released, unanswered or in the middle of an answer.
    func exchangeWasDropped(_ head: HTTPRequestHead, isAnswered: Bool) {
        exchange = nil
        guard isOpen else { return }
        server.requestEnded()
        if isAnswered { return end(.reset, .aborted) }
        request.head = head
        var error = bodyReader?.refusal ?? .unanswered(head: nil)
        error.head = request.head
        closeBody(.aborted)
        answerDirectly(server.errorRenderer(error), error: error)
    }
}
