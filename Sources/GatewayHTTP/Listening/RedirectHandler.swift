import EventIO
import GatewayConfig
import GatewayCore
import HTTPInbound
import HTTPModel

/// Answers the requests of a gateway's port for plain HTTP, while its other port speaks TLS: redirects them
/// to https. Confined to its loop.
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
        let isHealth = Health.isAsked(by: answer.head)
        if !isHealth { note.route = RouteLabel.redirect }
        requests.recorder.ended(
            RequestFacts(answer, keepsFields: requests.recorder.keepsFields),
            requestID: answer.response?.fields.firstValueBytes(.xRequestID),
            of: isHealth ? RouteLabel.health : RouteLabel.redirect, note)
    }
}

extension InboundLimits {
    /// The limits of a port that redirects. One answer a connection: a client that follows it opens another
    /// one, to the port with TLS.
    var forRedirects: InboundLimits {
        var limits = self
        limits.requestsPerConnection = 1
        limits.connectionsAboveLimit = min(limits.connectionsAboveLimit, 4)
        // Its answers are small.
        limits.spoolDirectory = nil
        return limits
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
    ///   - port: where browsers reach it by TLS.
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
        let asked = asksCertificates(host)
        guard asked.map(servesHost) ?? hosts.allows(authority) else {
            let shown = HostNames.shown(authority)
            throw GatewayError(
                .misdirected,
                asked == nil
                    ? "This gateway does not serve the host '\(shown)'"
                    : "No certificate of this gateway is for '\(shown)'"
            ).refusing("field.Host")
        }
        let query = head.target.query.map { "?\($0)" } ?? ""
        return "https://\(host)\(port)\(head.target.path)\(query)"
    }

    /// Returns the name for which a certificate decides; nil if the list of names does. Addresses are allowed
    /// by any list of names, but here a client must not choose one.
    private func asksCertificates(_ host: String) -> String? {
        let isBracketed = host.hasPrefix("[")
        let name = isBracketed ? String(host.dropFirst().dropLast()) : host
        return hosts != .any && !isBracketed && IPAddress(name) == nil ? nil : name
    }
}
