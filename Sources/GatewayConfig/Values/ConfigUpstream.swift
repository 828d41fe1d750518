package import EndpointPlans
package import HTTPModel
package import JSONBytes

/// A setting that can be switched off.
package enum ConfigSwitch<Value> {
    case off
    case on(Value)
}

extension ConfigSwitch: Sendable where Value: Sendable {}
extension ConfigSwitch: Equatable where Value: Equatable {}

/// An upstream API: where it is, and how it is called. Nil stands for a default of the gateway.
package struct ConfigUpstream: Sendable {
    package var name: Located<String>
    /// One or more: `http`, `https` or `unix:/path`, with a path as prefix of the calls' paths.
    package var urls: [Located<String>]
    package var envelope: Located<ConfigEnvelope>?
    /// Sent with each call.
    package var headers: [ConfigConstantHeader] = []
    package var timeouts = ConfigTimeouts()
    package var retry = ConfigRetry()
    package var limits = ConfigUpstreamLimits()
    /// Whether a success without a body is a success without data.
    package var emptyBody: Located<Bool>?
    package var tls: Located<ConfigTLS>?
    /// The most attempts in flight.
    package var concurrency: Located<ConfigSwitch<Int>>?
    package var breaker: Located<ConfigSwitch<ConfigBreaker>>?
    package var ejection: Located<ConfigSwitch<ConfigEjection>>?
    package var slowStart: Located<ConfigSwitch<Nanoseconds>>?
    package var health: Located<ConfigSwitch<ConfigHealthCheck>>?
    package var dns: Located<ConfigDNS>?
    package var compression: Located<ConfigUpstreamCompression>?
}

/// Whether calls accept compressed responses.
package enum ConfigUpstreamCompression: String, Sendable, CaseIterable {
    /// Unless the upstream is on this host or in its network.
    case unlessNearby
    case always
    case never
}

/// How an upstream wraps its data.
package enum ConfigEnvelope: Sendable {
    case none
    case generic
    /// Success is one of the texts of the status.
    case declared(
        status: Located<JSONPointer>, data: Located<JSONPointer>, message: Located<JSONPointer>?,
        success: [Located<String>])
}

/// A header with a constant value. Messages must not show the value, which may be a secret.
package struct ConfigConstantHeader: Sendable {
    package var name: Located<HTTPFieldName>
    package var value: Located<String>
}

package struct ConfigTimeouts: Sendable {
    /// One call with all its attempts.
    package var total: Located<Nanoseconds>?
    package var connect: Located<Nanoseconds>?
    package var firstByte: Located<Nanoseconds>?
    /// The longest silence within a response. Nil for `firstByte`.
    package var between: Located<Nanoseconds>?

    package static let defaultTotal: Nanoseconds = 10_000_000_000
    package static let defaultFirstByte: Nanoseconds = 5_000_000_000
}

package struct ConfigRetry: Sendable {
    package var attempts: Located<Int>?
    package var base: Located<Nanoseconds>?
    package var cap: Located<Nanoseconds>?
}

/// For each loop.
package struct ConfigUpstreamLimits: Sendable {
    package var connections: Located<Int>?
    /// How long a call waits for a connection.
    package var wait: Located<Nanoseconds>?
    /// The size of a decoded body.
    package var body: Located<ByteCount>?
    /// The share of the connections that responses which pass through may hold.
    package var passThrough: Located<Double>?
}

package struct ConfigTLS: Sendable {
    package enum Minimum: String, Sendable, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    /// Files in PEM.
    package var ca: Located<String>?
    package var certificate: Located<String>?
    package var key: Located<String>?
    /// `sha256//BASE64`, as curl has them.
    package var pins: [Located<String>] = []
    package var serverName: Located<String>?
    package var minimum: Located<Minimum>?
    /// False for `verify: none`.
    package var verifies: Located<Bool>?
}

package struct ConfigBreaker: Sendable, Equatable {
    package var window: Located<Nanoseconds>?
    package var minimumCalls: Located<Int>?
    package var failureRate: Located<Double>?
    package var open: Located<Nanoseconds>?
    package var maxOpen: Located<Nanoseconds>?
    package var probes: Located<Int>?
}

package struct ConfigEjection: Sendable, Equatable {
    package var consecutive: Located<Int>?
    package var base: Located<Nanoseconds>?
    package var max: Located<Nanoseconds>?
    package var maxShare: Located<Double>?
}

package struct ConfigHealthCheck: Sendable, Equatable {
    package var path: Located<String>
    package var interval: Located<Nanoseconds>?
    package var timeout: Located<Nanoseconds>?
    package var unhealthy: Located<Int>?
    package var healthy: Located<Int>?
}

package enum ConfigDNS: Sendable, Equatable {
    /// The system's `getaddrinfo`.
    case system
    case settings(
        minTTL: Located<Nanoseconds>?, maxTTL: Located<Nanoseconds>?, stale: Located<Nanoseconds>?,
        servers: [Located<String>])
}
