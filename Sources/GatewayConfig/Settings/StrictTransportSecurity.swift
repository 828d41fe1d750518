/// What browsers are told to remember of a gateway that speaks TLS (HSTS, RFC 6797): they call its name by
/// https alone.
///
/// A browser that has seen it refuses plain HTTP to the name until `maxAge` is over, on all ports: on
/// `localhost` also for every other program.
public struct StrictTransportSecurity: Sendable, Hashable {
    /// How long browsers remember it, from each answer on. Zero makes them forget it.
    public var maxAge: Duration
    /// Whether it holds for all subdomains of the name, too. Default false.
    public var includesSubdomains: Bool
    /// Whether browsers may have it built in, once the name is registered at hstspreload.org: then it holds
    /// for good. That needs `includesSubdomains` and a year. Default false.
    public var allowsPreload: Bool

    /// Creates a policy.
    public init(maxAge: Duration, includesSubdomains: Bool = false, allowsPreload: Bool = false) {
        self.maxAge = maxAge
        self.includesSubdomains = includesSubdomains
        self.allowsPreload = allowsPreload
    }

    package static let maxAges = Duration.zero...(.seconds(10 * year))
    private static let year = 365 * 86_400

    /// What is wrong with `maxAge`; nil if nothing is.
    var ageFault: String? {
        guard Self.maxAges.contains(maxAge) else { return "maxAge is not between 0 and 10 years" }
        // Browsers count in seconds, and forget at 0.
        return maxAge == .zero || maxAge >= .seconds(1) ? nil : "maxAge is less than a second, and not 0s"
    }

    /// What is wrong with it, or does not fit together; nil if all does.
    package var fault: String? {
        if let ageFault { return ageFault }
        guard allowsPreload, !includesSubdomains || maxAge < .seconds(Self.year) else { return nil }
        return "preload needs subdomains, and a maxAge of at least a year (8760h)"
    }

    /// The value of `Strict-Transport-Security`: `max-age=31536000; includeSubDomains`.
    package var fieldValue: String {
        "max-age=\(maxAge.components.seconds)" + (includesSubdomains ? "; includeSubDomains" : "")
            + (allowsPreload ? "; preload" : "")
    }
}
