import HTTPModel
@_spi(Lines) import JSONBytes
import Networking

/// What an authorizer says of a caller.
struct AuthorizerAnswer: Sendable {
    enum Verdict: Sendable {
        /// With the claims: a JSON object.
        case admitted(JSONFragment)
        /// With the reason for the log.
        case refused(GatewayError, String)
        case unavailable(String)
    }

    let verdict: Verdict
    /// Fields that the client gets with any answer.
    var fields = HTTPFields()

    /// The largest object of claims, in bytes.
    static let largestClaims = 64 * 1024

    /// The call failed.
    init(_ error: any Error) { verdict = .unavailable("the authorizer did not answer: \(error)") }

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
        for name in authorizer.answer {
            for value in response.fields.valueBytes(of: name) { fields.append(name, bytes: value) }
        }
    }

    // MARK: - Claims

    private static func admitted(_ response: Response, _ authorizer: AuthorizerEntry) -> Verdict {
        let type = response.fields.firstValueBytes(.contentType).flatMap { MediaType(bytes: $0) }
        var claims = JSONFragment(valid: Array("{}".utf8)[...])
        // Many authorizers answer with a text for people, or with nothing.
        if let type, type.isJSON, !response.data.isEmpty {
            guard response.data.count <= largestClaims else {
                return .unavailable("the claims of the authorizer exceed \(largestClaims) bytes")
            }
            guard let body = try? JSONFragment(validating: response.data, limits: JSONLimits(maxDepth: 16)),
                body.kind == .object, Set(body.members.map(\.name)).count == body.members.count
            else { return .unavailable("the claims of the authorizer are not a JSON object") }
            claims = body
        }
        return .admitted(authorizer.take.isEmpty ? claims : adding(authorizer.take, response, to: claims))
    }

    /// Adds claims from fields, which replace members of the body.
    private static func adding(
        _ taken: [TakenField], _ response: Response, to claims: JSONFragment
    ) -> JSONFragment {
        var members = claims.members.filter { member in !taken.contains { $0.claim == member.name } }
        for take in taken {
            let values = response.fields.values(of: take.field)
            guard !values.isEmpty else { continue }
            members.append((take.claim, JSONFragment(string: values.joined(separator: ", "))))
        }
        return .object(members)
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

extension JSONFragment {
    /// Returns an object with these members.
    fileprivate static func object(_ members: [(name: String, value: JSONFragment)]) -> JSONFragment {
        let bytes = JSONLine.array(capacity: 256) { line in
            for (index, member) in members.enumerated() {
                line.constant(index == 0 ? "{" : ",")
                line.string(member.name)
                line.constant(":")
                line.fragment(member.value)
            }
            line.constant(members.isEmpty ? "{}" : "}")
        }
        return JSONFragment(valid: bytes[...])
    }
}
