import GatewayCore
import HTTPModel
import JSONBytes

/// What the admin listener does besides health checks.
struct AdminOperation: Sendable {
    let method: HTTPMethod
    let path: String
    /// Whether it needs no token, as health checks need none.
    var isOpen = false
    let run: @Sendable (AdminExchange, GatewayServer) throws(GatewayError) -> Void

    static let all = [
        AdminOperation(method: .get, path: "/metrics", isOpen: true) { exchange, gateway in
            exchange.answerMetrics(gateway)
        },
        AdminOperation(method: .get, path: "/status") { exchange, gateway in exchange.answerStatus(gateway) },
        AdminOperation(method: .get, path: "/requests") { exchange, gateway in
            exchange.answerRequests(gateway)
        },
        AdminOperation(method: .get, path: "/requests/ID") { exchange, gateway in
            exchange.answerRequest(gateway)
        },
        AdminOperation(method: .get, path: "/events") { exchange, gateway throws(GatewayError) in
            try exchange.followEvents(gateway)
        },
        AdminOperation(method: .post, path: "/explain") { exchange, gateway throws(GatewayError) in
            try exchange.explain(gateway)
        },
        AdminOperation(method: .get, path: "/config") { exchange, gateway in
            exchange.answer(.ok, gateway.configurationAnswer)
        },
        AdminOperation(method: .put, path: "/log-level") { exchange, gateway throws(GatewayError) in
            try exchange.changeLogs(gateway)
        },
        AdminOperation(method: .post, path: "/reload") { exchange, gateway throws(GatewayError) in
            try exchange.checkIsEmpty()
            exchange.reload(gateway)
        },
        AdminOperation(method: .post, path: "/drain") { exchange, gateway throws(GatewayError) in
            try exchange.checkIsEmpty()
            gateway.drain()
            exchange.answer(
                .accepted,
                [
                    "phase": JSONLiteral(gateway.phase.name),
                    "name": JSONLiteral(gateway.site.name.description), "url": JSONLiteral(gateway.url),
                ])
        },
        AdminOperation(method: .get, path: "/", isOpen: true) { exchange, _ throws(GatewayError) in
            try exchange.answerConsole()
        },
        AdminOperation(method: .get, path: "/console/FILE", isOpen: true) {
            exchange, _ throws(GatewayError) in
            try exchange.answerConsole()
        },
    ]

    /// Whether this is the operation's path. `ID` and `FILE` at its end stand for any segment.
    private func matches(_ path: String) -> Bool {
        guard let variable = ["ID", "FILE"].first(where: { self.path.hasSuffix("/\($0)") }) else {
            return self.path == path
        }
        let prefix = self.path.dropLast(variable.count)
        return path.hasPrefix(prefix) && path.count > prefix.count
            && !path.dropFirst(prefix.count).contains("/")
    }

    /// Whether a path needs no token.
    static func isOpen(_ path: String) -> Bool { all.contains { $0.isOpen && $0.matches(path) } }

    /// Returns what a request asks for.
    ///
    /// - Throws: 404, 405, or 415 for a body that is not JSON: a web page can send other types to any origin
    ///   without asking it first.
    static func find(_ head: HTTPRequestHead) throws(GatewayError) -> AdminOperation {
        let path = head.target.path
        let operations = all.filter { $0.matches(path) }
        guard !operations.isEmpty else {
            let known = all.map(\.path).joined(separator: ", ")
            throw .notFound(
                "The admin listener has no such path. Its paths are /health/live, /health/ready, \(known)")
        }
        guard let operation = operations.first(where: { $0.method == head.method }) else {
            // The server makes HEAD a GET.
            let methods = operations.flatMap { $0.method == .get ? [HTTPMethod.get, .head] : [$0.method] }
            throw .methodNotAllowed(head.method, allowed: methods)
        }
        guard operation.method == .get || isJSON(head.fields) else {
            throw .unsupportedMediaType("Content-Type must be application/json, even without a body")
        }
        return operation
    }

    private static func isJSON(_ fields: HTTPFields) -> Bool {
        let values = fields.valueBytes(of: .contentType)
        guard values.count == 1, let type = MediaType(bytes: values[0]) else { return false }
        return type.type == "application" && type.subtype == "json"
    }
}
