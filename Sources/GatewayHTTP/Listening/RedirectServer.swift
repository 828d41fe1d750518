import EventIO
import GatewayConfig
import GatewayCore
import HTTPInbound
import HTTPModel

/// The port for plain HTTP of a gateway that speaks TLS, on one loop: it redirects to https. Confined to the
/// loop.
final class RedirectServer {
    private let listener: Listener
    private let server: InboundServer
    /// Called once, when the last connection has closed after `stopAccepting`.
    var onIdle: (() -> Void)?

    /// - Parameters:
    ///   - listener: of the port.
    ///   - limits: the loop's.
    ///   - shared: has the connections of all loops, among which these count.
    ///   - bodies: counts the bodies of the loop's requests.
    ///   - handler: answers.
    ///   - errorRenderer: called for each refusal.
    init(
        _ listener: Listener, on loop: EventLoop, _ limits: InboundLimits, _ shared: Worker.Shared,
        bodies: BodyBudget, clients: ClientSettings, _ handler: RedirectHandler,
        errorRenderer: @escaping (InboundError) -> HTTPResponse
    ) {
        self.listener = listener
        server = InboundServer(
            loop: loop, limits: Self.limits(limits), total: shared.connections, bodies: bodies,
            fileDescriptors: shared.fileDescriptors, clients: clients, handler: handler,
            errorRenderer: errorRenderer)
        let log = shared.logs.diagnostics
        listener.onExhausted = { error, shed in
            log.write(.warning, "no file descriptors left", ["error": "\(error)", "shed": shed])
        }
        let limitLog = shared.connectionLimitLog
        server.onShed = { counts in limitLog.add(counts, on: loop) }
        server.onIdle = { [unowned self] in onIdle?() }
    }

    /// One answer a connection: a client that follows it opens another one, to the port with TLS.
    private static func limits(_ limits: InboundLimits) -> InboundLimits {
        var limits = limits
        limits.requestsPerConnection = 1
        limits.connectionsAboveLimit = min(limits.connectionsAboveLimit, 4)
        // Its answers are small.
        limits.spoolDirectory = nil
        return limits
    }

    func use(
        _ handler: RedirectHandler, _ limits: InboundLimits, clients: ClientSettings,
        errorRenderer: @escaping (InboundError) -> HTTPResponse
    ) {
        server.use(handler, limits: Self.limits(limits), clients: clients, errorRenderer: errorRenderer)
    }

    func accept() { server.adopt(listener) }

    func beginDrain() { server.beginDrain() }

    func dropNewSYNs() { server.dropNewSYNs() }

    func stopAccepting() { server.stopAccepting() }

    func close() { server.close() }
}

/// Answers the requests of the port for plain HTTP. Confined to its loop.
final class RedirectHandler: InboundHandler {
    /// The loop's handler of requests, which answers health checks and renders errors.
    let requests: RequestHandler
    private let target: RedirectTarget
    private let challenges: ChallengeFolder?

    init(_ requests: RequestHandler, to target: RedirectTarget, _ challenges: ChallengeFolder?) {
        self.requests = requests
        self.target = target
        self.challenges = challenges
    }

    func healthAnswer(to head: HTTPRequestHead) -> HTTPResponse? { requests.healthAnswer(to: head) }

    func decide(_ arrival: InboundExchange.Arrival) -> BodyDecision {
        let head = arrival.head
        if let answer = healthAnswer(to: head) { return .answer(answer) }
        // Before the host check: a certificate is ordered before the gateway serves its name.
        if let challenges, let name = ChallengeFolder.name(in: head.target) {
            return .ignore(ChallengeExchange(arrival, name, in: challenges, requests))
        }
        do throws(GatewayError) {
            return .answer(
                HTTPResponse(
                    status: .permanentRedirect,
                    fields: [
                        .location: try target.location(for: head),
                        .xRequestID: requests.responder.requestID(head.fields),
                    ]))
        } catch {
            if error.code == .misdirected { requests.recorder.counters.count(.host) }
            let answer = requests.responder.render(error, fields: head.fields)
            return .answer(answer.response, AnswerNote(answer))
        }
    }

    func answered(_ answer: DirectAnswer) {
        var note = answer.note
        note.code = note.code ?? answer.error.map { GatewayError($0).code.name }
        requests.recorder.ended(
            RequestFacts(answer, keepsFields: requests.recorder.keepsFields),
            requestID: answer.response?.fields.firstValueBytes(.xRequestID),
            of: Health.isAsked(by: answer.head) ? RouteLabel.health : RouteLabel.redirect, note)
    }
}

/// Where requests to the port for plain HTTP are redirected.
struct RedirectTarget: Sendable {
    private let hosts: HostNames
    private let servesHost: @Sendable (String) -> Bool
    /// `:8443`; empty for the port of https.
    private let port: String

    /// - Parameters:
    ///   - hosts: the names of the gateway.
    ///   - port: where it speaks TLS.
    ///   - servesHost: whether a certificate is for a name or an address.
    init(_ hosts: HostNames, port: Int, servesHost: @escaping @Sendable (String) -> Bool) {
        self.hosts = hosts
        self.port = port == 443 ? "" : ":\(port)"
        self.servesHost = servesHost
    }

    /// Returns the URL of the same resource by https.
    ///
    /// - Throws: 421 for a host that is not the gateway's. A client could choose it, and send others there.
    func location(for head: HTTPRequestHead) throws(GatewayError) -> String {
        guard head.target.form == .origin || head.target.form == .absolute else {
            throw .invalidRequest("The target * cannot be redirected").refusing("target")
        }
        guard let authority = head.authorityBytes,
            let end = authority.withUnsafeBytes({ Authority.hostEnd(in: $0) })
        else { throw .invalidRequest("The request names no host").refusing("field.Host") }
        let host = String(decoding: authority.prefix(end), as: UTF8.self)
        guard isOwn(host, authority) else {
            throw GatewayError(
                .misdirected, "This gateway does not serve the host '\(HostNames.shown(authority))'"
            ).refusing("field.Host")
        }
        let query = head.target.query.map { "?\($0)" } ?? ""
        return "https://\(host)\(port)\(head.target.path)\(query)"
    }

    /// Addresses are allowed by any list of names, but here a client must not choose one.
    private func isOwn(_ host: String, _ authority: ArraySlice<UInt8>) -> Bool {
        let isBracketed = host.hasPrefix("[")
        let name = isBracketed ? String(host.dropFirst().dropLast()) : host
        guard hosts != .any, !isBracketed, IPAddress(name) == nil else { return servesHost(name) }
        return hosts.allows(authority)
    }
}
