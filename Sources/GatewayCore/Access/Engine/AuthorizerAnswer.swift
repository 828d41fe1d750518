import HTTPModel
@_spi(Lines) @_spi(Reading) import JSONBytes
import Networking

/// What an authorizer says of a caller. A class, because it passes through several hands.
final class AuthorizerAnswer: Sendable {
    enum Verdict: Sendable {
        /// With the claims, a JSON object, and their member `sub`.
        case admitted(JSONFragment, subject: JSONFragment?)
        /// With the reason for the log.
        case refused(GatewayError, String)
        case unavailable(String)
    }

    let verdict: Verdict
    /// Fields that the client gets with any answer.
    let fields: HTTPFields

    /// The largest object of claims, in bytes.
    static let largestClaims = 64 * 1024

    /// The call failed.
    init(_ error: any Error) {
        verdict = .unavailable("the authorizer did not answer: \(error)")
        fields = HTTPFields()
    }

    init(_ response: Response, of entry: AuthEntry, _ authorizer: AuthorizerEntry) {
        let status = response.statusCode
        switch status {
        case 200..<300: verdict = Self.admitted(response, authorizer)
        // Only a request with a condition is answered so.
        case 304: verdict = .unavailable("the authorizer answered with 304")
        case 300..<400:
            verdict = .refused(.badCredential(of: entry), "the authorizer redirects to a login")
        case 401: verdict = .refused(Self.unauthorized(response, entry), "the authorizer answered with 401")
        case 403, 429: verdict = .refused(Self.refusal(response), "the authorizer answered with \(status)")
        default: verdict = .unavailable("the authorizer answered with \(status)")
        }
        var fields = HTTPFields()
        for name in authorizer.answer {
            for value in response.fields.valueBytes(of: name) { fields.append(name, bytes: value) }
        }
        self.fields = fields
    }

    // MARK: - Claims

    private static func admitted(_ response: Response, _ authorizer: AuthorizerEntry) -> Verdict {
        var (claims, subject) = (noClaims, nil as JSONFragment?)
        // Many authorizers answer with a text for people, or with nothing.
        if !response.data.isEmpty, isJSON(response.fields) {
            guard response.data.count <= largestClaims else {
                return .unavailable("the claims of the authorizer exceed \(largestClaims) bytes")
            }
            let limits = JSONLimits(maxDepth: 16)
            guard let body = try? JSONScanner.scan(response.data, capturing: subjectName, limits: limits),
                body.document.kind == .object, !body.document.hasRepeatedMember
            else {
                return .unavailable(
                    "the claims of the authorizer are not a JSON object of at most 16 levels without repeated "
                        + "members")
            }
            (claims, subject) = (body.document, body[0])
        }
        if authorizer.take.isEmpty { return .admitted(claims, subject: subject) }
        claims = adding(authorizer.take, response, to: claims)
        return .admitted(claims, subject: claims[member: "sub"])
    }

    private static let noClaims = JSONFragment(valid: Array("{}".utf8)[...])
    private static let subjectName = JSONMemberNames("sub")

    private static func isJSON(_ fields: HTTPFields) -> Bool {
        guard let type = fields.firstValueBytes(.contentType) else { return false }
        // Nearly all services write it so, which needs no parser.
        return type.elementsEqual("application/json".utf8) || MediaType(bytes: type)?.isJSON == true
    }

    /// Adds claims from fields, which replace members of the body.
    private static func adding(
        _ taken: [TakenField], _ response: Response, to claims: JSONFragment
    ) -> JSONFragment {
        var members: [(String, JSONLiteral)] = []
        for member in claims.members where !taken.contains(where: { $0.claim == member.name }) {
            members.append((member.name, JSONLiteral(member.value)))
        }
        for take in taken {
            let values = response.fields.values(of: take.field)
            guard !values.isEmpty else { continue }
            members.append((take.claim, JSONLiteral(values.joined(separator: ", "))))
        }
        return JSONLiteral(members: members).fragment
    }

    // MARK: - Refusals

    private static func unauthorized(_ response: Response, _ entry: AuthEntry) -> GatewayError {
        var error = GatewayError.badCredential(of: entry)
        if response.fields.contains(.wwwAuthenticate) { error.fields = HTTPFields() }
        copyFields(of: response, to: &error)
        return error
    }

    private static func refusal(_ response: Response) -> GatewayError {
        let isForbidden = response.statusCode == 403
        var error = GatewayError(
            isForbidden ? .forbidden : .tooManyRequests,
            isForbidden ? "The caller is not allowed to do this" : "The caller has made too many requests")
        copyFields(of: response, to: &error)
        return error
    }

    private static func copyFields(of response: Response, to error: inout GatewayError) {
        for name in [HTTPFieldName.wwwAuthenticate, .retryAfter] {
            for value in response.fields.values(of: name) { error.fields.append(name, value) }
        }
    }
}
