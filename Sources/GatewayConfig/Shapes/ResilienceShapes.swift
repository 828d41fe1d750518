import Resilience

extension SettingTable where Root == CircuitBreakerPolicy {
    /// When an upstream's circuit opens.
    static let breaker = SettingTable(
        "breaker", standard: CircuitBreakerPolicy(), ascending: [(\.open, \.maxOpen)]
    ) {
        Setting("window", \.window, .duration("1s", "10m"), "How long attempts count.")
        Setting(
            "minimumCalls", \.minimumCalls, .integer(1...100_000),
            "The fewest attempts that can open the circuit.")
        Setting(
            "failureRate", \.failureRate, .share, "The part of the attempts that must have failed to open it."
        )
        Setting("open", \.open, .duration("100ms", "10m"), "How long it stays open the first time.")
        Setting("maxOpen", \.maxOpen, .duration("100ms", "1h"), "The longest time that it stays open.")
        Setting("probes", \.probes, .integer(1...100), "How many attempts must succeed to close it.")
    }
}

extension SettingTable where Root == EjectionPolicy {
    /// When an address is not used for a while.
    static let ejection = SettingTable(
        "ejection", standard: EjectionPolicy(), ascending: [(\.base, \.max)]
    ) {
        Setting(
            "consecutive", \.consecutive, .integer(1...1000),
            "How many attempts must fail, one after another.")
        Setting("base", \.base, .duration("100ms", "1h"), "How long the first ejection lasts.")
        Setting("max", \.max, .duration("100ms", "24h"), "The longest time that an ejection lasts.")
        Setting(
            "maxShare", \.maxShare, .share, "The largest part of the addresses that may be out of service.")
    }
}

extension SettingTable where Root == HealthCheckPolicy {
    /// Checks of an upstream's addresses.
    static let health = SettingTable(
        "health", standard: HealthCheckPolicy(path: "/"), required: ["path"]
    ) {
        Setting(
            "path", \.path, .checkPath, showsDefault: false,
            "The path of the check, from the root of the host.")
        Setting("interval", \.interval, .duration("100ms", "1h"), "From one check to the next.")
        Setting("timeout", \.timeout, .duration("10ms", "1m"), "How long a check may take.")
        Setting(
            "unhealthy", \.unhealthy, .integer(1...100),
            "How many checks must fail before the address is not used.")
        Setting(
            "healthy", \.healthy, .integer(1...100), "How many checks must pass before it is used again.")
    }
}

extension ValueType where Value == String {
    fileprivate static let checkPath = text("a path that begins with a slash") { text in
        text.utf8.first == UInt8(ascii: "/")
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }
    }
}
