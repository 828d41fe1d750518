package import EndpointPlans
package import EventIO
package import HTTPModel
package import HTTPOutbound
package import Networking

/// A setting that can be switched off.
package enum ConfigSwitch<Value> {
    case off
    case on(Value)
}

extension ConfigSwitch: Sendable where Value: Sendable {}
extension ConfigSwitch: Equatable where Value: Equatable {}

/// An upstream API, and what a file sets of it.
package struct ConfigUpstream: Sendable {
    package let name: Located<String>
    package var changes: SettingChanges<UpstreamSettings>

    /// With the defaults of a gateway.
    package var settings: UpstreamSettings { changes.applied(to: UpstreamSettings()) }

    /// Returns a time that the file sets.
    func time(_ key: String, _ time: KeyPath<UpstreamSettings, Duration>) -> Located<Nanoseconds>? {
        changes.place(of: key).map { Located(settings[keyPath: time].inNanoseconds, at: $0) }
    }

    /// The most attempts of a call, if the file sets it.
    var attempts: Located<Int>? {
        changes.place(of: "retry.attempts").map { Located(settings.calls.retry.maxAttempts, at: $0) }
    }
}

/// Where an upstream is, and how it is called and protected.
package struct UpstreamSettings: Sendable {
    /// One or more: `http`, `https` or `unix:/path`, with a path as prefix of the calls' paths.
    package var urls: [String] = []
    package var envelope = ResponseEnvelope.none
    /// Sent with each call. Messages must not show the values, which may be secrets.
    package var headers = HTTPFields()
    /// Whether a success without a body is a success without data.
    package var allowsEmptyBody = false
    package var calls = CallPolicy()
    package var policy = UpstreamPolicy()
    package var limits = OutboundLimits()
    /// Nil for the gateway's own.
    package var tls: TLSConfiguration?
    /// Nil for the gateway's own.
    package var dns: DNSSettings?

    package init() {}
}
