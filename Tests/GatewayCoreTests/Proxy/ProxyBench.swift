import GatewayCore
import HTTPModel
import Networking
import NetworkingTesting
import Testing

extension Bench {
    /// Declares `images`, whose responses pass through. By default its calls are not retried.
    func images(
        _ baseURL: String = "http://images.test:9002", policy: CallPolicy = .once
    ) -> ProxyUpstream {
        gateway.proxyUpstream("images", baseURL: baseURL, policy: policy)
    }

    /// Answers every call with this response.
    func upstreamAnswers(
        _ status: Int = 200, _ fields: HTTPFields = HTTPFields(), body: String = "",
        after delay: Duration = .zero
    ) {
        transport.answer(.response(status, fields: fields, body: body, after: delay))
    }

    /// Sends a request and returns the path and query that the upstream got; nil if it got no call.
    func targetSent(_ method: HTTPMethod = .get, for target: String) throws -> String? {
        let before = transport.attempts.count
        _ = try ask(method, target)
        return transport.attempts.dropFirst(before).first?.call.target.text
    }

    /// The fields of the last call.
    var fieldsSent: HTTPFields { transport.attempts.last?.call.allFields ?? HTTPFields() }

    /// Sends a request and returns the `Location` of the answer to an upstream that redirects there.
    func location(_ location: String, for target: String) throws -> String? {
        upstreamAnswers(302, [.location: location])
        return try answer(.get, target).fields[.location]
    }
}

extension CallPolicy {
    static var once: CallPolicy {
        var policy = CallPolicy()
        policy.retry = .never
        return policy
    }
}

extension ArraySlice<UInt8> {
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension Reply {
    /// The body, streamed or not.
    func wholeBody() async throws -> String {
        guard let stream = response.stream else { return body }
        var bytes: [UInt8] = []
        for try await piece in stream { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension HTTPFields {
    /// The names in lower case, in order.
    var names: [String] { map { $0.name.lowercased() } }
}
