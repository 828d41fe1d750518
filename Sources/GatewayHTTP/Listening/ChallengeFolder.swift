import ASCIIText
import EventIO
import GatewayConfig
import GatewayCore
import HTTPInbound
import HTTPModel

/// The folder in which an ACME client puts the answers to the challenges of its authority (RFC 8555 8.3).
final class ChallengeFolder: Sendable {
    /// The longest answer: a token and the thumbprint of a key, with room to spare.
    static let largest = 4096
    /// The longest token.
    static let longestName = 128

    private static let prefix = Array("/.well-known/acme-challenge/".utf8)

    private let root: RootFolder

    /// Opens the folder. Blocks.
    init(_ path: String) throws(GatewayStartError) {
        do {
            root = try RootFolder(path: path)
        } catch {
            throw GatewayStartError("cannot serve the folder of challenges: \(error)")
        }
    }

    /// Returns the token of a challenge that a request asks for; nil for any other path. A token has only the
    /// letters of base64url, so it cannot lead to another folder.
    static func name(in target: RequestTarget) -> String? {
        let path = target.pathBytes
        guard path.starts(with: prefix) else { return nil }
        let name = path.dropFirst(prefix.count)
        guard (1...longestName).contains(name.count),
            name.allSatisfy({
                ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            })
        else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// Returns the answer to a challenge; nil if the folder has none. Blocks.
    func read(_ name: String) throws(SocketError) -> [UInt8]? {
        do {
            let file = try root.open(name)
            guard file.byteCount <= Self.largest else { return nil }
            return try file.read(at: 0, atMost: Self.largest)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }
}

/// A request for the answer to a challenge. Confined to its loop.
final class ChallengeExchange: InboundExchange {
    private static let methods: [HTTPMethod] = [.get, .head]

    private let name: String
    private let folder: ChallengeFolder
    private let requests: RequestHandler
    private let requestID: String
    private var status = HTTPStatus.internalServerError

    init(_ arrival: Arrival, _ name: String, in folder: ChallengeFolder, _ requests: RequestHandler) {
        self.name = name
        self.folder = folder
        self.requests = requests
        requestID = requests.responder.requestID(arrival.head.fields)
        super.init(arrival)
    }

    override func start() {
        guard method == .get || method == .head else {
            return fail(.methodNotAllowed(method, allowed: Self.methods))
        }
        let exchange = LoopBound(self, loop: loop)
        let isAccepted = FileThreads.submit { [name, folder, loop] in
            let found = Result { () throws(SocketError) in try folder.read(name) }
            loop.execute { exchange.value.found(found) }
        }
        if !isAccepted { fail(.overloaded) }
    }

    private func found(_ result: Result<[UInt8]?, SocketError>) {
        guard !isOver else { return }
        switch result {
        case .success(let bytes?):
            answer(
                .ok,
                [
                    .contentType: "application/octet-stream", .cacheControl: "no-store",
                    .xContentTypeOptions: "nosniff", .xRequestID: requestID,
                ], bytes)
        case .success(nil): fail(.notFound())
        case .failure(let error):
            requests.log.write(.error, "challenge not served", ["what": "\(error)"])
            fail(GatewayError(.internal, "The file cannot be read"))
        }
    }

    private func fail(_ error: GatewayError) {
        let answer = requests.responder.render(
            error, fields: request.head.fields, requestID: requestID, at: nil)
        status = answer.response.status
        respond(answer.response)
    }

    private func answer(_ status: HTTPStatus, _ fields: HTTPFields, _ body: [UInt8]) {
        self.status = status
        respond(HTTPResponse(status: status, fields: fields, body: [body[...]]))
    }

    override func ended(_ outcome: InboundOutcome) {
        let facts = RequestFacts(
            self, status: status.code, outcome, keepsFields: requests.recorder.keepsFields)
        var note = AnswerNote()
        note.route = RouteLabel.redirect
        requests.recorder.ended(
            facts, requestID: Array(requestID.utf8)[...], of: RouteLabel.redirect, note)
    }
}
