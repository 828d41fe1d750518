import EventIO
import GatewayConfig
import GatewayCore
import Glibc
import HTTPInbound
import HTTPModel
import Rx

/// A request for a static file, from its head to the last byte of its answer. Confined to its loop.
final class FileExchange: InboundExchange {
    private static let methods: [HTTPMethod] = [.get, .head, .options]

    private let file: FileRequest
    private let files: LoopFiles
    /// Of the generation that routed the request.
    private let handler: RequestHandler?
    private var requestID = ""
    /// The answer's status, once there is an answer.
    private var status = HTTPStatus.internalServerError
    private var isAnswered = false
    /// Sends a file in pieces.
    private var sender: FileSender?
    /// The head of a file that is sent in pieces. It waits for the first piece.
    private var unsentHead: HTTPResponseHead?
    /// Set while a file is being found, or waits for that.
    private var timer: TimerToken?
    /// Whether a helper thread has got the file to find.
    private var isFinding = false
    /// Whether the request has a place among those in flight, which it has while middleware runs.
    private var isAdmitted = false
    /// Sends an answer of middleware that is streamed.
    private var pump: AnswerPump?
    /// Set while middleware runs.
    private var check: (any OngoingRequest)?
    /// The request as middleware has left it; nil without middleware.
    private var passed: GatewayRequest?
    /// What became of a request that middleware has answered.
    private var refusal: RequestSummary?

    init(_ arrival: Arrival, _ file: FileRequest) {
        self.file = file
        files = file.files
        handler = file.files.handler
        super.init(arrival)
        requestID = files.responder.requestID(request.head.fields)
    }

    /// Only middleware takes a place among the requests in flight.
    override func overloadAnswer() -> (response: HTTPResponse, note: AnswerNote)? {
        guard let middleware = file.middleware, let handler else { return nil }
        do throws(GatewayError) {
            try handler.admission.check(middleware)
            return nil
        } catch {
            return handler.overloadAnswer(error, to: request.head, at: middleware)
        }
    }

    override func start() {
        guard let middleware = file.middleware else { return serve() }
        do throws(GatewayError) {
            // Middleware has no limit of its own.
            _ = try handler?.admission.enter(middleware)
        } catch {
            return answer(error)
        }
        isAdmitted = true
        let check = files.responder.respond(
            to: request, at: middleware, from: remoteText, client: client, certificate: clientCertificate,
            for: FileReceiver(LoopBound(self, loop: loop)))
        if isOver {
            check.dispose()
        } else if !isAnswered, passed == nil {
            self.check = check
        }
    }

    /// Middleware has let the request pass.
    fileprivate func serve(_ request: GatewayRequest) {
        check = nil
        leave()
        guard !isOver else { return }
        passed = request
        requestID = request.requestID
        serve()
    }

    /// Middleware has answered the request.
    fileprivate func deliver(_ answer: consuming GatewayResponse) {
        check = nil
        leave()
        refusal = answer.summary
        let requestID = answer.summary.requestID
        let response = answer.response
        let head = HTTPResponseHead(status: response.status, fields: response.fields)
        guard let stream = answer.stream else { return send(head, pieces: response.body) }
        status = head.status
        isAnswered = true
        pump = AnswerPump.begin(stream, head, on: self, requestID: requestID, files.log)
        pump?.start()
    }

    private func leave() {
        guard isAdmitted, let middleware = file.middleware else { return }
        isAdmitted = false
        handler?.admission.leave(middleware)
    }

    private var isFetch: Bool { method == .get || method == .head }

    private func serve() {
        switch file.location {
        case .builtIn where !isFetch: answerOtherMethod()
        case .builtIn(let page): answer(page)
        case .folder(let folder):
            let now = Self.now
            if case .loop = files.server.settings.finder,
                let finding = folder.findCached(query(now), taking: files.descriptors)
            {
                return serve(finding, now)
            }
            startReadTimer()
            files.find(for: self, of: clientPrefix)
        }
    }

    // MARK: Built-in files

    private func answer(_ page: BuiltInPage) {
        let now = Self.now
        let plan = FileSelection(request.head.fields, isHead: isHead, page.facts, now: now)
        guard let head = head(plan, page.facts, now) else { return }
        respond(head, page.body(of: plan))
    }

    // MARK: Files of a folder

    /// Finds the file on a helper thread. Returns false if the request is over, or no thread takes the work.
    func find() -> Bool {
        guard !isOver, !isAnswered, case .folder(let folder) = file.location else { return false }
        let now = Self.now
        let query = query(now)
        let exchange = LoopBound(self, loop: loop)
        isFinding = true
        let submit =
            switch files.server.settings.finder {
            case .loop: FileThreads.submit
            case .threads(let submit): submit
            }
        let isAccepted = submit { [loop, descriptors = files.descriptors] in
            let finding = folder.find(query, taking: descriptors)
            loop.execute { exchange.value.found(finding, now) }
        }
        if !isAccepted { refuse() }
        return isAccepted
    }

    private func query(_ now: Int64) -> FolderFiles.Query {
        FolderFiles.Query(
            path: file.path, fields: request.head.fields, isHead: isHead, isExistenceCheck: !isFetch,
            now: now, client: clientPrefix)
    }

    private func found(_ finding: FolderFiles.Finding, _ now: Int64) {
        // Once the connection has what was found.
        defer { files.findingEnded() }
        // The client may have left, or the deadline may have passed.
        guard !isOver, !isAnswered else { return }
        stopReadTimer()
        serve(finding, now)
    }

    private func serve(_ finding: FolderFiles.Finding, _ now: Int64) {
        switch finding {
        case .missing: answer(.notFound())
        case .refused: refuse()
        case .exists: answerOtherMethod()
        case .failed(let error): answerFailure(error)
        case .answer(let facts, let plan, let content):
            guard let head = head(plan, facts, now) else { return }
            switch content {
            case .bytes(let bytes): respond(head, bytes[...])
            case .none where isHead && head.status != .notModified:
                respondToHead(head, plan.body(of: facts).count)
            case .none: respond(head, [])
            case .stream(let file, let range): stream(head, file, range)
            }
        }
    }

    private func answerFailure(_ error: any Error) {
        let isScarce = [EMFILE, ENFILE, ENOMEM, EAGAIN].contains((error as? SocketError)?.code)
        files.log.write(isScarce ? .warning : .error, "file not served", ["what": "\(error)"])
        if isScarce { refuse() } else { answer(GatewayError(.internal, "The file cannot be read")) }
    }

    // MARK: Files in pieces

    private func stream(_ head: HTTPResponseHead, _ file: OpenFile, _ range: Range<Int64>) {
        guard let sender = FileSender(file, range, files, for: self) else { return refuse() }
        self.sender = sender
        var head = complete(head)
        head.fields.append(.contentLength, "\(range.count)")
        unsentHead = head
        sender.start()
    }

    /// The first piece is read. Returns nil if the client has left.
    func begin() -> BodyWriter? {
        guard let head = unsentHead.take() else { return nil }
        status = head.status
        isAnswered = true
        let writer = startStreaming(head)
        return isOver ? nil : writer
    }

    /// - Parameter writer: nil if no piece has been read.
    func fileFailed(_ error: any Error, _ writer: BodyWriter?) {
        guard let writer else { return answerFailure(error) }
        files.log.write(.error, "file sent incompletely", ["what": "\(error)"])
        writer.fail()
    }

    /// A piece was not read within `readDeadline`.
    ///
    /// - Parameters:
    ///   - writer: nil if no piece has been read.
    ///   - waitsForTurn: whether other files are the reason, not the disk.
    func fileIsLate(_ writer: BodyWriter?, waitsForTurn: Bool) {
        files.log.write(
            waitsForTurn ? .warning : .error, "file not read in time", ["path": request.head.target.path])
        if let writer { writer.fail() } else { refuse() }
    }

    // MARK: Answers

    private var isHead: Bool { method == .head }

    /// Returns nil if the plan is an error, after answering it.
    private func head(
        _ plan: FileSelection, _ facts: FileFacts, _ now: Int64
    ) -> HTTPResponseHead? {
        switch plan.verdict {
        case .whole, .part, .notModified:
            return files.server.head(plan, of: facts, file.type, requestID: requestID, now: now)
        case .preconditionFailed:
            answer(GatewayError(.preconditionFailed, "The file does not meet the request's preconditions"))
            return nil
        case .unsatisfiableRange:
            let count = plan.representation(of: facts).byteCount
            answer(
                GatewayError(
                    .rangeNotSatisfiable, "The requested range lies outside the file of \(count) bytes",
                    fields: [.contentRange: "bytes */\(count)"]))
            return nil
        }
    }

    /// Answers 204 to OPTIONS, else 405, both with `Allow`.
    private func answerOtherMethod() {
        guard method == .options else {
            return answer(.methodNotAllowed(method, allowed: Self.methods))
        }
        let allow = Self.methods.map(\.rawValue).joined(separator: ", ")
        let fields: HTTPFields = [
            .allow: allow, .xContentTypeOptions: "nosniff", .xRequestID: requestID,
        ]
        respond(HTTPResponseHead(status: .noContent, fields: fields), [])
    }

    /// A limit of files has no room for this one.
    private func refuse() {
        files.recorder.counters.count(.files)
        answer(.overloaded)
    }

    private func answer(_ error: GatewayError) {
        stopReadTimer()
        unsentHead = nil
        let answer = files.responder.render(
            error, fields: request.head.fields, requestID: requestID, at: file.middleware)
        if file.middleware != nil { refusal = answer.summary }
        respond(
            HTTPResponseHead(status: answer.response.status, fields: answer.response.fields),
            pieces: answer.response.body)
    }

    private func respond(_ head: HTTPResponseHead, _ body: ArraySlice<UInt8>) {
        respond(head, pieces: [body])
    }

    private func respond(_ head: HTTPResponseHead, pieces: [ArraySlice<UInt8>]) {
        send(complete(head), pieces: pieces)
    }

    /// Returns the head with the fields that middleware adds.
    private func complete(_ head: HTTPResponseHead) -> HTTPResponseHead {
        guard let passed else { return head }
        var head = head
        files.responder.complete(&head, of: passed)
        return head
    }

    private func send(_ head: HTTPResponseHead, pieces: [ArraySlice<UInt8>]) {
        status = head.status
        isAnswered = true
        respond(HTTPResponse(status: head.status, fields: head.fields, body: pieces))
    }

    /// Answers a HEAD without reading the file.
    private func respondToHead(_ head: HTTPResponseHead, _ count: Int) {
        status = head.status
        isAnswered = true
        var head = complete(head)
        head.fields.append(.contentLength, "\(count)")
        startStreaming(head).finish()
    }

    // MARK: Time

    private func startReadTimer() {
        timer = loop.setTimer(after: files.server.settings.readDeadline, target: self)
    }

    private func stopReadTimer() {
        if let timer { loop.cancelTimer(timer) }
        timer = nil
    }

    /// Seconds since 1970.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Int64(time.tv_sec)
    }

    // MARK: The end

    override func ended(_ outcome: InboundOutcome) {
        stopReadTimer()
        sender?.stop()
        sender = nil
        unsentHead = nil
        leave()
        pump?.stop()
        pump = nil
        let cancelled = check.take()?.cancel()
        let facts = RequestFacts(
            self, status: cancelled == nil ? status.code : nil, outcome,
            keepsFields: files.recorder.keepsFields)
        if let summary = refusal ?? cancelled {
            files.recorder.ended(facts, summary)
        } else {
            files.recorder.ended(facts, requestID: Array(requestID.utf8)[...], of: RouteLabel.files)
        }
    }
}

/// Brings the verdict of middleware back to the exchange's loop.
private final class FileReceiver: AnswerReceiver {
    private let exchange: LoopBound<FileExchange>

    init(_ exchange: LoopBound<FileExchange>) {
        self.exchange = exchange
    }

    func answered(_ answer: consuming GatewayResponse) {
        guard !exchange.loop.isCurrent else { return exchange.value.deliver(answer) }
        exchange.loop.execute { [answer, exchange] in exchange.value.deliver(answer) }
    }

    func passed(_ request: GatewayRequest) {
        guard !exchange.loop.isCurrent else { return exchange.value.serve(request) }
        exchange.loop.execute { [exchange] in exchange.value.serve(request) }
    }
}

extension FileExchange: TimerTarget {
    /// The disk has not answered within `readDeadline`, or was not asked.
    func timerFired(_ token: TimerToken) {
        timer = nil
        fileIsLate(nil, waitsForTurn: !isFinding)
    }
}
