import EventIO
import GatewayCore
import Glibc
import HTTPInbound
import HTTPModel
import Rx

/// What a loop's requests for files share. Confined to the loop.
final class LoopFiles {
    let server: FileServer
    let responder: GatewayResponder
    let accessLog: AccessLog?
    let log: Log
    /// Files on their way in pieces.
    var streams = 0

    init(_ server: FileServer, _ responder: GatewayResponder, accessLog: AccessLog?, log: Log) {
        self.server = server
        self.responder = responder
        self.accessLog = accessLog
        self.log = log
    }
}

/// A request for a static file, from its head to the last byte of its answer. Confined to its loop.
final class FileExchange: InboundExchange {
    private static let methods: [HTTPMethod] = [.get, .head, .options]

    private let files: LoopFiles
    private var requestID = ""
    /// Of the answer, once there is one.
    private var status = HTTPStatus.internalServerError
    private var isAnswered = false
    /// The rest of a file that goes out in pieces.
    private var rest: ReadAhead?
    /// Bytes of it.
    private var left = 0
    private var writer: BodyWriter?
    /// Set while the disk is waited for.
    private var timer: TimerToken?

    init(_ arrival: Arrival, _ files: LoopFiles) {
        self.files = files
        super.init(arrival)
        requestID = files.responder.requestID(request.head.fields)
    }

    func start() {
        guard let file = context as? FileRequest else { return answer(.notFound()) }
        let isFetch = method == .get || method == .head
        switch file.place {
        case .builtIn where !isFetch: answerOtherMethod()
        case .builtIn(let page): answer(page, file.type)
        case .folder(let folder): ask(folder, file, isFetch: isFetch)
        }
    }

    // MARK: Built in

    private func answer(_ page: BuiltInPage, _ type: FileType) {
        let now = Self.now
        let plan = FileResponsePlan(request.head.fields, isHead: isHead, page.facts, now: now)
        guard let head = head(plan, page.facts, type, now) else { return }
        respond(head, page.body(of: plan))
    }

    // MARK: From a folder

    private func ask(_ folder: FolderFiles, _ file: FileRequest, isFetch: Bool) {
        let now = Self.now
        let query = FolderFiles.Query(
            path: file.path, fields: request.head.fields, isHead: isHead, isOfExistence: !isFetch, now: now)
        let home = LoopBound(self, loop: loop)
        let type = file.type
        waitForDisk()
        let isTaken = files.server.settings.submit { [loop] in
            let finding = folder.find(query)
            loop.execute { home.value.found(finding, type, now) }
        }
        if !isTaken { answer(.overloaded) }
    }

    private func found(_ finding: FolderFiles.Finding, _ type: FileType, _ now: Int64) {
        // The client may have left meanwhile, and the wait may have been too long.
        guard !isOver, !isAnswered else { return }
        stopWaiting()
        switch finding {
        case .missing: answer(.notFound())
        case .there: answerOtherMethod()
        case .failed(let error): answerFailure(error)
        case .answer(let facts, let plan, let content):
            guard let head = head(plan, facts, type, now) else { return }
            switch content {
            case .bytes(let bytes): respond(head, bytes[...])
            case .nothing where isHead && head.status != .notModified:
                respondToHead(head, plan.body(of: facts).count)
            case .nothing: respond(head, [])
            case .stream(let file, let range): stream(head, file, range)
            }
        }
    }

    private func answerFailure(_ error: SocketError) {
        files.log.write(.error, "file not served", ["what": "\(error)"])
        let isScarce = [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(error.code)
        answer(isScarce ? .overloaded : GatewayError(.internal, "the file cannot be read"))
    }

    // MARK: In pieces

    private func stream(_ head: HTTPResponseHead, _ file: OpenFile, _ range: Range<Int64>) {
        guard files.streams < files.server.settings.streams else { return answer(.overloaded) }
        files.streams += 1
        status = head.status
        isAnswered = true
        rest = ReadAhead(on: loop) { file.reader(of: range) }
        left = range.count
        var head = head
        head.fields.append(.contentLength, "\(range.count)")
        let writer = startStreaming(head)
        // It may be over by now; a writer that was kept then would keep this for ever.
        guard !isOver else { return }
        self.writer = writer
        writer.onDrain = { [weak self] in self?.writeOn() }
        writeOn()
    }

    /// Asks for the next piece, unless one is being waited for or the client has enough to read.
    private func writeOn() {
        guard timer == nil, let rest, let writer, !writer.isOverHighWatermark else { return }
        waitForDisk()
        rest.next { [weak self] piece in self?.came(piece) }
    }

    private func came(_ piece: ReadAhead.Piece) {
        stopWaiting()
        switch piece {
        case .success(let bytes):
            left -= bytes.count
            writer?.write(bytes)
            if left == 0 { writer?.finish() } else { writeOn() }
        case .failure(let error):
            files.log.write(.error, "file not sent to its end", ["what": "\(error)"])
            writer?.fail()
        }
    }

    // MARK: Answers

    private var isHead: Bool { method == .head }

    /// Nil where the plan is an error, which is answered.
    private func head(
        _ plan: FileResponsePlan, _ facts: FileFacts, _ type: FileType, _ now: Int64
    ) -> HTTPResponseHead? {
        switch plan.verdict {
        case .whole, .part, .notModified:
            return files.server.head(plan, of: facts, type, requestID: requestID, now: now)
        case .preconditionFailed:
            answer(
                GatewayError(.preconditionFailed, "the file is in another state than the request asks for"))
            return nil
        case .unsatisfiableRange:
            let count = plan.representation(of: facts).byteCount
            answer(
                GatewayError(
                    .rangeNotSatisfiable, "the file has \(count) bytes, and none of those that are asked for",
                    fields: [.contentRange: "bytes */\(count)"]))
            return nil
        }
    }

    /// 204 to OPTIONS, else 405, both with what there is.
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

    private func answer(_ error: GatewayError) {
        stopWaiting()
        let answer = files.responder.render(error, fields: request.head.fields, requestID: requestID)
        respond(
            HTTPResponseHead(status: answer.response.status, fields: answer.response.fields),
            pieces: answer.response.body)
    }

    private func respond(_ head: HTTPResponseHead, _ body: ArraySlice<UInt8>) {
        respond(head, pieces: [body])
    }

    private func respond(_ head: HTTPResponseHead, pieces: [ArraySlice<UInt8>]) {
        status = head.status
        isAnswered = true
        respond(HTTPResponse(status: head.status, fields: head.fields, body: pieces))
    }

    /// The head of a body that was not read.
    private func respondToHead(_ head: HTTPResponseHead, _ count: Int) {
        status = head.status
        isAnswered = true
        var head = head
        head.fields.append(.contentLength, "\(count)")
        startStreaming(head).finish()
    }

    // MARK: Time

    private func waitForDisk() {
        timer = loop.setTimer(after: files.server.settings.readDeadline, target: self)
    }

    private func stopWaiting() {
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
        stopWaiting()
        if let rest {
            rest.close()
            files.streams -= 1
        }
        rest = nil
        writer = nil
        guard let accessLog = files.accessLog else { return }
        let status = AccessLog.status(status.code, outcome, hasBegun: hasBegun)
        accessLog.write(
            AccessLog.Entry(
                method: method, path: request.head.target.pathBytes, status: status, end: outcome,
                remote: remoteText, receivedAt: receivedAt, bytesReceived: bytesReceived, bytesSent: bytesSent
            ),
            requestID: Array(requestID.utf8)[...])
    }
}

extension FileExchange: TimerTarget {
    /// The disk keeps silent.
    func timerFired(_ token: TimerToken) {
        timer = nil
        files.log.write(.error, "file not read in time", ["path": request.head.target.path])
        if let writer { writer.fail() } else { answer(.overloaded) }
    }
}
