package import GatewayConfig
import GatewayCore
import HTTPModel

extension GatewayServerConfiguration {
    /// The names that requests may have, with the default. A web page can reach a local gateway by DNS
    /// rebinding, and a local gateway has no other protection.
    package func hosts(onLoopback isLoopback: Bool) -> HostNames {
        hosts ?? (isLoopback ? .localhost : .any)
    }
}

/// Checks the `Host` of a loop's requests. Confined to the loop.
struct HostCheck {
    private let names: HostNames
    /// The last accepted `Host` and its index among the fields. Nearly all requests have the same.
    private var last: [UInt8] = []
    private var lastIndex = 0

    /// Nil if any name is allowed, so that nothing is checked.
    init?(_ names: HostNames) {
        guard names != .any else { return nil }
        self.names = names
    }

    mutating func check(_ head: HTTPRequestHead) throws(GatewayError) {
        // The parser has refused requests with a second Host.
        if head.target.form == .origin, head.fields.isHost(at: lastIndex, last) { return }
        try checkUncached(head)
    }

    @inline(never)
    private mutating func checkUncached(_ head: HTTPRequestHead) throws(GatewayError) {
        // HTTP/1.0 does not require Host; without one the name cannot be foreign.
        guard let authority = head.authorityBytes else { return }
        guard names.allows(authority) else {
            throw GatewayError(
                .misdirected, "This gateway does not serve the host '\(HostNames.shown(authority))'"
            ).refusing("field.Host")
        }
        guard head.target.form == .origin, let index = head.fields.firstIndex(of: .host) else { return }
        lastIndex = index
        last.removeAll(keepingCapacity: true)
        last.append(contentsOf: authority)
    }
}
