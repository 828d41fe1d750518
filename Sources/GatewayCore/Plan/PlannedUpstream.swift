import HTTPModel
import Networking

/// An upstream of planned endpoints. `Gateway.plannedUpstream` makes it.
package final class PlannedUpstream: Sendable {
    package let name: String
    let envelope: ResponseEnvelope
    let allowsEmptyBody: Bool
    /// Sent with every call.
    let headers: HTTPFields
    private let policy: CallPolicy
    private let makeProvider: @Sendable (CallPolicy) -> Provider<PlannedTarget>
    private let standard: Provider<PlannedTarget>

    init(
        _ name: String, _ policy: CallPolicy, _ envelope: ResponseEnvelope, _ headers: HTTPFields,
        allowsEmptyBody: Bool, _ makeProvider: @escaping @Sendable (CallPolicy) -> Provider<PlannedTarget>
    ) {
        self.name = name
        self.policy = policy
        self.envelope = envelope
        self.headers = headers
        self.allowsEmptyBody = allowsEmptyBody
        self.makeProvider = makeProvider
        standard = makeProvider(policy)
    }

    /// Returns the client for calls with this many attempts; nil for the upstream's.
    func provider(attempts: Int?) -> Provider<PlannedTarget> {
        guard let attempts, attempts != policy.retry.maxAttempts else { return standard }
        var policy = policy
        policy.retry.maxAttempts = attempts
        return makeProvider(policy)
    }
}

/// A planned call with all its values.
struct PlannedTarget: TargetType, Hashable {
    let method: HTTPMethod
    /// Path and query, encoded.
    let text: String
    let headers: HTTPFields
    let body: [UInt8]?
    let settings: PlannedTargetSettings

    /// Never used: the provider has the address.
    var baseURL: String { "" }
    var path: RequestPath { RequestPath(encoded: text) }
    var task: RequestTask { body.map { .data($0[...], contentType: "application/json") } ?? .plain }
    var envelope: ResponseEnvelope { settings.envelope }
    var allowsEmptyBody: Bool { settings.allowsEmptyBody }
    var timeout: Duration? { settings.timeout }

    static func == (left: PlannedTarget, right: PlannedTarget) -> Bool {
        left.method == right.method && left.text == right.text && left.headers == right.headers
            && left.body == right.body && left.settings === right.settings
    }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// What all requests of a planned call have in common.
final class PlannedTargetSettings: Sendable {
    let envelope: ResponseEnvelope
    let allowsEmptyBody: Bool
    let timeout: Duration?

    init(_ upstream: PlannedUpstream, timeout: Duration?) {
        envelope = upstream.envelope
        allowsEmptyBody = upstream.allowsEmptyBody
        self.timeout = timeout
    }
}
