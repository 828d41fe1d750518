import Dispatch
import HTTPModel
import Locking
import Networking
import Rx

extension EndpointRun {
    /// Sends a call with the client's fields and body, and answers with its response.
    func relay(_ relayed: RelayedCall, _ overrides: AnswerOverrides) throws {
        if let fault = relayed.fault { throw fault }
        let begun = state.withLock { $0.isOver ? nil : $0.beginStage() }
        guard let stage = begun else { return }
        let (body, arriving) = try relayed.call.hasBody ? (.none, nil) : relayedBody()
        let relay = Relay(self, relayed, overrides, body: arriving)
        keep(relay, of: stage)
        var method = relayed.call.method ?? .get
        if request.isHead, method == .get { method = .head }
        let fields = relayed.fields.fields(of: request.fields, without: responder.sentNames)
        relay.start(relayed.call.relayed(method, fields, body, in: context, to: relay))
    }

    /// Returns the body of the client's request, and the same if it is still arriving.
    private func relayedBody() throws -> (Networking.RequestBody, RelayedBody?) {
        // Most requests without a body have a method that needs none.
        if request.stream == nil, request.body.isEmpty, request.method == .get { return (.none, nil) }
        let fields = request.fields
        let isChunked = fields.contains(.transferEncoding)
        let length = fields.firstValueBytes(.contentLength).flatMap {
            Int64(String(decoding: $0, as: UTF8.self))
        }
        // RFC 9110 10.1.1: an HTTP/1.0 client expects nothing.
        let expectsContinue = fields.contains(.expect) && request.head.version == .http11
        // An empty body is a body.
        let hasBody = isChunked || length != nil
        var bytes = request.body
        switch try request.stream?.claimSource() {
        case nil: break
        case .bytes(let all): bytes = all
        case .source(let source):
            guard isChunked || (length ?? 0) > 0 else { break }
            let body = RelayedBody(
                source, length: isChunked ? nil : length, expectsContinue: expectsContinue
            ) { [weak self] isUploading in
                self?.restartDeadline(isUploading: isUploading)
            }
            return (.stream(body), body)
        }
        return (hasBody || !bytes.isEmpty ? .bytes(bytes) : .none, nil)
    }

    /// Stops the deadline during an upload, which has limits of its own, and restarts it after that.
    private func restartDeadline(isUploading: Bool) {
        let next = isUploading ? nil : scheduler.setTimer(after: endpoint.deadlineInterval, target: self)
        let unneeded = state.withLock { state -> TimerToken? in
            if state.isOver { return next }
            defer { state.timer = next }
            return state.timer
        }
        if let unneeded { scheduler.cancelTimer(unneeded) }
    }

    /// Nanoseconds until the deadline at least. A head that has arrived is passed on before.
    private var timeLeft: Int64 {
        let limit = endpoint.deadlineInterval.nanoseconds
        // After a long upload, the deadline began again.
        return elapsed < limit ? limit - elapsed : limit
    }

    /// How long the head of an answer may wait for its body. Interceptors and plugins get the whole response
    /// if there is time.
    func longestHeadWait(_ replacement: Replacement? = nil) -> RxTimeInterval {
        let longest = replacement == .stage ? .max : PassedResponse.headWait.nanoseconds
        return .nanoseconds(Int(min(longest, timeLeft / 2)))
    }

    /// How long the head of a stream of records may wait for the first record.
    var longestRecordWait: RxTimeInterval {
        .nanoseconds(Int(min(RecordStream.headWait.nanoseconds, timeLeft / 2)))
    }

    /// Counts bytes of a response until the answer is handed over. Returns false if the memory for bodies has
    /// no room.
    func keep(_ bytes: Int) -> Bool {
        let due = context.keep(bytes)
        guard due > 0, let transport = responder.environment.transport as? any ProtectingTransport else {
            return true
        }
        return transport.charge(due, composedIn: context)
    }

    /// Answers with the head of a response. From now on the call belongs to the answer.
    func relayBegan(_ head: TransportResponse, _ relay: Relay) {
        state.withLock { $0.work = nil }
        guard let facts = finish() else { return }
        var answer = renderer.relayed(head, relay.relayed, relay.overrides, for: facts)
        answer.stream = AnswerStream(relay, length: nil, gap: endpoint.settings.streamGap)
        deliver(answer)
    }

    /// Answers with a response that has arrived as a whole.
    func relayEnded(_ response: TransportResponse, _ relay: Relay) {
        // A streamed head has the length of the body that it leaves out.
        if request.isHead, !relay.isWithoutContent(response) { return relayBegan(response, relay) }
        guard let facts = finish() else { return }
        deliver(renderer.relayed(response, relay.relayed, relay.overrides, for: facts))
    }
}

extension Renderer {
    /// Describe content that is left out.
    private static let ofContent: [HTTPFieldName] = [
        .contentType, .contentEncoding, .contentRange, "Content-Digest",
    ]

    /// Returns the answer that passes on a response.
    fileprivate func relayed(
        _ head: TransportResponse, _ relayed: RelayedCall, _ overrides: AnswerOverrides,
        for request: RequestFacts
    ) -> GatewayResponse {
        let status = overrides.status ?? head.status
        var fields = HTTPFields(room: head.fields.count + 8, capacity: head.fields.textSize + 192)
        fields.append(.xContentTypeOptions, "nosniff")
        fields.append(.xRequestID, request.requestID)
        relayed.fields.add(head.fields, to: &fields)
        // RFC 9110 15.3.6: a 205 has no content, though some upstreams send one.
        let hasContent = status != .resetContent
        if !hasContent {
            for name in Self.ofContent { fields.remove(name) }
        }
        // It frames a streamed body, and tells the length of one that HEAD leaves out.
        if hasContent, head.body.isEmpty, let length = head.fields.firstValueBytes(.contentLength) {
            fields.append(.contentLength, bytes: length)
        }
        if relayed.fields.hasAddresses { relayed.mapAddresses(in: &fields, by: proxies) }
        if !overrides.fields.isEmpty {
            fields.removeReplaced(by: overrides.fields)
            add(overrides.fields, to: &fields)
        }
        let code = status.code < 400 ? "OK" : ErrorCode(status: status.code).name
        let answer = HTTPResponse(
            status: status, fields: fields, body: hasContent && !head.body.isEmpty ? [head.body] : [])
        return response(answer, code, nil, request)
    }
}

extension HTTPFields {
    /// Removes the fields of the upstream whose place the handler's take. Fields that may have several lines
    /// are kept.
    fileprivate mutating func removeReplaced(by own: HTTPFields) {
        for (text, _) in own {
            guard let name = HTTPFieldName(text), !Renderer.isGatewayField(name), !Self.lists.contains(name)
            else { continue }
            remove(name)
        }
    }

    private static let lists: [HTTPFieldName] = [.link, .setCookie, .vary, .wwwAuthenticate]
}
