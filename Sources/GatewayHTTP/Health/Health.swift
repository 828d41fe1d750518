import GatewayConfig
import GatewayCore
import HTTPModel

/// Answers `GET /health/live` (the process need not be restarted) and `GET /health/ready` (it accepts
/// requests). Bodies: `{"status":"live"}`, `{"status":"ready"}`, and with 503 `{"status":"starting"}` and
/// `{"status":"draining"}`.
struct Health {
    private static let live = Array(HealthPath.live.utf8)
    private static let ready = Array(HealthProbe.readyPath.utf8)
    private static let prefix = Array(HealthPath.prefix.utf8)
    private static let methods: [HTTPMethod] = [.get, .head, .options]

    private let phase: Phase

    init(_ phase: Phase) {
        self.phase = phase
    }

    private enum Question { case live, ready }

    /// Whether a request has a health path.
    static func isAsked(by head: HTTPRequestHead?) -> Bool { head.flatMap(question) != nil }

    private static func question(_ head: HTTPRequestHead) -> Question? {
        guard head.target.pathLength <= ready.count else { return nil }
        let path = head.target.pathBytes
        guard path.starts(with: prefix) else { return nil }
        if path.elementsEqual(ready) { return .ready }
        return path.elementsEqual(live) ? .live : nil
    }

    /// Returns the answer on a health path, nil on any other path. Throws 405 for other methods.
    func answer(_ head: HTTPRequestHead) throws(GatewayError) -> HTTPResponse? {
        guard let question = Self.question(head) else { return nil }
        switch head.method {
        case .get, .head: break
        case .options:
            let allow = Self.methods.map(\.rawValue).joined(separator: ", ")
            return HTTPResponse(
                status: .noContent, fields: [.allow: allow, .xContentTypeOptions: "nosniff"])
        default: throw .methodNotAllowed(head.method, allowed: Self.methods)
        }
        if question == .live { return respond(.ok, "live") }
        if phase.isReady { return respond(.ok, "ready") }
        // A successor takes over the port of a gateway that is draining.
        return respond(.serviceUnavailable, phase.isStarting ? "starting" : "draining")
    }

    private func respond(_ status: HTTPStatus, _ word: String) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: [
                .contentType: "application/json; charset=utf-8", .xContentTypeOptions: "nosniff",
                .cacheControl: "no-store",
            ],
            body: [Self.body(word)[...]])
    }

    static func body(_ word: String) -> [UInt8] { Array("{\"status\":\"\(word)\"}".utf8) }
}
