import EventIO
import GatewayConfig
import HTTPModel
import HTTPOutbound
import JSONBytes

/// Asks the admin listener of a running gateway, for a command.
struct AdminClient {
    static let addressFlag = ProgramFlag(
        name: "admin", placeholder: "ADDRESS",
        help: "where the gateway's admin listener is: HOST:PORT or unix:/path",
        fallback: AdminSettings.standard.description, mayRepeat: true)
    static let tokenFlag = ProgramFlag(
        name: "admin-token-file", placeholder: "FILE", help: "file with the admin listener's token",
        fallback: "none")

    /// What a gateway answered.
    struct Answer {
        let status: HTTPStatus
        let body: JSONFragment
    }

    /// Why nothing usable was answered, as a complaint.
    struct Failure: Error {
        let message: String
    }

    private let origin: Origin
    private let authorization: String?

    /// - Parameters:
    ///   - arguments: the values of the flags.
    ///   - settings: where the admin listener is without flags.
    init(_ arguments: ProgramArguments, _ settings: AdminSettings) throws(UsageError) {
        origin = try Self.origin(arguments, settings)
        let token = try GatewayServerConfiguration.adminToken(arguments) ?? settings.token
        authorization = token.map { "Bearer \($0.text)" }
    }

    /// Returns the admin address to ask: the flag's, else the first of the variable that this machine alone
    /// can reach, which needs no token, else the program's.
    static func origin(
        _ arguments: ProgramArguments, _ settings: AdminSettings
    ) throws(UsageError) -> Origin {
        let source = arguments.source(of: "admin")
        let given = try GatewayServerConfiguration.adminAddresses(arguments)
        let known = (given ?? settings.listen ?? [AdminSettings.standard]).map(\.socketAddress)
        let address = arguments.isFromVariable("admin") ? known.first(where: \.isLoopback) : nil
        guard let address = address ?? known.first else {
            throw UsageError(
                message: given == nil
                    ? "the program has no admin listener"
                    : "\(source) is off: the gateway has no admin listener")
        }
        guard let origin = HealthProbe.origin(of: address) else {
            throw UsageError(message: "\(source): \(address) has no port to ask")
        }
        return origin
    }

    /// Sends a request, by default without values. Blocks for at most this time.
    func post(_ path: String, _ body: String = "", within limit: Duration) throws(Failure) -> Answer {
        try ask(.post, path, [.contentType: "application/json"], body, within: limit)
    }

    /// Blocks for at most this time.
    func get(_ path: String, within limit: Duration) throws(Failure) -> Answer {
        try ask(.get, path, HTTPFields(), "", within: limit)
    }

    /// Returns an answer as text. Blocks for at most this time.
    func text(_ path: String, within limit: Duration) throws(Failure) -> String {
        let (status, body) = try send(.get, path, HTTPFields(), "", within: limit)
        guard status == .ok else {
            throw Failure(message: "\(origin)\(path) answered \(status.code); is it an admin listener?")
        }
        return String(decoding: body, as: UTF8.self)
    }

    private func ask(
        _ method: HTTPMethod, _ path: String, _ fields: HTTPFields, _ body: String, within limit: Duration
    ) throws(Failure) -> Answer {
        let (status, body) = try send(method, path, fields, body, within: limit)
        guard let body = try? JSONFragment(validating: body[...]) else {
            throw Failure(
                message: "\(origin)\(path) answered \(status.code) without JSON; is it an admin listener?")
        }
        return Answer(status: status, body: body)
    }

    private func send(
        _ method: HTTPMethod, _ path: String, _ fields: HTTPFields, _ body: String, within limit: Duration
    ) throws(Failure) -> (status: HTTPStatus, body: [UInt8]) {
        var fields = fields
        if let authorization { fields.append(.authorization, authorization) }
        let request = OutboundRequest(method: method, target: path, fields: fields, body: body)
        switch HealthProbe.ask(origin, request, within: limit) {
        case .failure(let error): throw Failure(message: "\(origin)\(path): \(error)")
        case .success(let response): return (response.head.status, Array(response.body))
        }
    }

    /// Returns what an error of a gateway says.
    func complaint(_ path: String, _ answer: Answer) -> String {
        let message = answer.body[member: "message"]?.stringValue
        return "\(origin)\(path) answered \(answer.status.code)" + (message.map { ": \($0)" } ?? "")
    }

    /// Returns what is wrong with an answer that is not a gateway's.
    func complaint(_ path: String) -> String {
        "\(origin)\(path) has no metrics of a gateway; is it an admin listener?"
    }
}
