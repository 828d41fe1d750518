import GatewayConfig

extension ConfigDocument {
    /// The names of the flags whose values the file has. Their variables have no effect, so they are not read.
    var flagsWithValue: Set<String> {
        let flags: [(name: String, isSet: Bool)] = [
            ("host", listen.host != nil), ("port", listen.port != nil), ("loops", listen.loops != nil),
            ("name", name != nil), ("hosts", hosts != nil), ("log-level", logLevel != nil),
            ("drain-delay", drainDelay != nil), ("public", publicFolder != nil),
            ("timeline", timeline != nil),
            ("spool-directory", spoolFolder != nil), ("compression", compression != nil),
            ("upstream-memory", limits.upstreamBodies != nil),
            // The exceptions belong to the proxy.
            ("proxy", proxy != nil), ("no-proxy", proxy != nil),
            // Each upstream of a file has addresses there.
            ("upstream", true),
            ("breaker", !upstreams.isEmpty && upstreams.allSatisfy { $0.breaker != nil }),
            ("dns", !upstreams.isEmpty && upstreams.allSatisfy { $0.dns != nil }),
        ]
        return Set(flags.filter(\.isSet).map(\.name))
    }
}
