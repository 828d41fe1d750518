import EndpointPlans
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

    /// The path of its base URL: empty, or `/prefix`.
    var prefix: [UInt8] { standard.configuredUpstream?.prefix ?? [] }

    /// Returns the client for calls with this many attempts; nil for the upstream's.
    func provider(attempts: Int?) -> Provider<PlannedTarget> {
        guard let attempts, attempts != policy.retry.maxAttempts else { return standard }
        var policy = policy
        policy.retry.maxAttempts = attempts
        return makeProvider(policy)
    }
}

/// The type of the targets of planned calls, without values: these calls are `EncodedRequest`s.
enum PlannedTarget: TargetType {
    var baseURL: String { "" }
    var path: RequestPath { "/" }
}
