import GatewayConfig
import GatewayCore
import HTTPModel

/// Answers `GET /health/live` (the process need not be restarted) and `GET /health/ready` (it accepts
/// requests). Bodies: `{"status":"live"}`, `{"status":"ready"}`, and `{"status":"draining"}` with 503.
struct Health {
    private static let live = Array(HealthPath.live.utf8)
    private static let ready = Array(HealthProbe.readyPath.utf8)
    private static let prefix = Array(HealthPath.prefix.utf8)
    private static let methods: [HTTPMethod] = [.get, .head, .options]

    private let phase: Phase

    init(_ phase: Phase) {
        self.phase = phase
    }

    /// Returns the answer on a health path, nil on any other path. Throws 405 for other methods.
    func answer(_ head: HTTPRequestHead) throws(GatewayError) -> HTTPResponse? {
        guard head.target.pathLength <= Self.ready.count else { return nil }
        let path = head.target.pathBytes
        guard path.starts(with: Self.prefix) else { return nil }
        let isReady = path.elementsEqual(Self.ready)
        guard isReady || path.elementsEqual(Self.live) else { return nil }
        switch head.method {
        case .get, .head: break
        case .options:
            let allow = Self.methods.map(\.rawValue).joined(separator: ", ")
            return HTTPResponse(
                status: .noContent, fields: [.allow: allow, .xContentTypeOptions: "nosniff"])
        default: throw .methodNotAllowed(head.method, allowed: Self.methods)
        }
        if !isReady { return respond(.ok, "live") }
        return phase.isReady ? respond(.ok, "ready") : respond(.serviceUnavailable, "draining")
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
