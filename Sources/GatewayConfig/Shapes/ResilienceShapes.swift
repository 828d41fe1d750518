import Resilience

extension SettingTable where Root == CircuitBreakerPolicy {
    /// When an upstream's circuit opens.
    static let breaker = SettingTable(
        "breaker", standard: CircuitBreakerPolicy(), ascending: [(\.open, \.maxOpen)]
    ) {
        Setting("window", \.window, .duration(Root.Ranges.window), "How long attempts count.")
        Setting(
            "minimumCalls", \.minimumCalls, .integer(Root.Ranges.minimumCalls),
            "The fewest attempts that can open the circuit.")
        Setting(
            "failureRate", \.failureRate, .share, "The part of the attempts that must have failed to open it."
        )
        Setting("open", \.open, .duration(Root.Ranges.open), "How long it stays open the first time.")
        Setting("maxOpen", \.maxOpen, .duration(Root.Ranges.maxOpen), "The longest time that it stays open.")
        Setting(
            "probes", \.probes, .integer(Root.Ranges.probes), "How many attempts must succeed to close it.")
    }
}

extension SettingTable where Root == EjectionPolicy {
    /// When an address is not used for a while.
    static let ejection = SettingTable(
        "ejection", standard: EjectionPolicy(), ascending: [(\.base, \.max)]
    ) {
        Setting(
            "consecutive", \.consecutive, .integer(Root.Ranges.consecutive),
            "How many attempts must fail, one after another.")
        Setting("base", \.base, .duration(Root.Ranges.base), "How long the first ejection lasts.")
        Setting("max", \.max, .duration(Root.Ranges.max), "The longest time that an ejection lasts.")
        Setting(
            "maxShare", \.maxShare, .share, "The largest part of the addresses that may be out of service.")
    }
}

extension SettingTable where Root == HealthCheckPolicy {
    /// Checks of an upstream's addresses.
    static let health = SettingTable(
        "health", standard: HealthCheckPolicy(path: "/"), required: ["path"], example: "{path: /health}"
    ) {
        Setting(
            "path", \.path, .checkPath, showsDefault: false,
            "The path of the check, from the root of the host.")
        Setting("interval", \.interval, .duration(Root.Ranges.interval), "From one check to the next.")
        Setting("timeout", \.timeout, .duration(Root.Ranges.timeout), "How long a check may take.")
        Setting(
            "unhealthy", \.unhealthy, .integer(Root.Ranges.count),
            "How many checks must fail before the address is not used.")
        Setting(
            "healthy", \.healthy, .integer(Root.Ranges.count),
            "How many checks must pass before it is used again.")
    }
}

extension ValueType where Value == String {
    fileprivate static let checkPath = text("a path that begins with a slash") {
        HealthCheckPolicy.isPath($0)
    }
}
