import EndpointPlans

/// When an upstream's circuit opens.
enum BreakerShape {
    static let window = Member("window", .time("1s", "10m"), default: "10s", "How long attempts count.")
    static let minimumCalls = Member(
        "minimumCalls", .integer(1...100_000), default: "20", "The fewest attempts that can open the circuit."
    )
    static let failureRate = Member(
        "failureRate", .share, default: "0.5", "The part of the attempts that must have failed to open it.")
    static let open = Member(
        "open", .time("100ms", "10m"), default: "5s", "How long it stays open the first time.")
    static let maxOpen = Member(
        "maxOpen", .time("100ms", "1h"), default: "15s", "The longest time that it stays open.")
    static let probes = Member(
        "probes", .integer(1...100), default: "3", "How many attempts must succeed to close it.")
    static let shape: Shape = Shape(
        "breaker", definition: "breaker", window, minimumCalls, failureRate, open, maxOpen, probes)
}

extension ValueType where Value == ConfigBreaker {
    static let breaker = ValueType.object(BreakerShape.shape, prefixes: true) { values in
        let breaker = ConfigBreaker(
            window: values.located(BreakerShape.window),
            minimumCalls: values.located(BreakerShape.minimumCalls),
            failureRate: values.located(BreakerShape.failureRate), open: values.located(BreakerShape.open),
            maxOpen: values.located(BreakerShape.maxOpen), probes: values.located(BreakerShape.probes))
        values.requireOrder(BreakerShape.open, BreakerShape.maxOpen)
        return breaker
    }
}

/// When an address is not used for a while.
enum EjectionShape {
    static let consecutive = Member(
        "consecutive", .integer(1...1000), default: "5", "How many attempts must fail, one after another.")
    static let base = Member(
        "base", .time("100ms", "1h"), default: "30s", "How long the first ejection lasts.")
    static let max = Member(
        "max", .time("100ms", "24h"), default: "5m", "The longest time that an ejection lasts.")
    static let maxShare = Member(
        "maxShare", .share, default: "0.5", "The largest part of the addresses that may be out of service.")
    static let shape: Shape = Shape("ejection", definition: "ejection", consecutive, base, max, maxShare)
}

extension ValueType where Value == ConfigEjection {
    static let ejection = ValueType.object(EjectionShape.shape, prefixes: true) { values in
        let ejection = ConfigEjection(
            consecutive: values.located(EjectionShape.consecutive), base: values.located(EjectionShape.base),
            max: values.located(EjectionShape.max), maxShare: values.located(EjectionShape.maxShare))
        values.requireOrder(EjectionShape.base, EjectionShape.max)
        return ejection
    }
}

/// Checks of an upstream's addresses.
enum HealthCheckShape {
    static let path = Member(
        "path",
        .text("a path that begins with a slash") { text in
            text.utf8.first == UInt8(ascii: "/")
                && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }
        }, "The path of the check, from the root of the host.")
    static let interval = Member(
        "interval", .time("100ms", "1h"), default: "5s", "From one check to the next.")
    static let timeout = Member("timeout", .time("10ms", "1m"), default: "1s", "How long a check may take.")
    static let unhealthy = Member(
        "unhealthy", .integer(1...100), default: "3",
        "How many checks must fail before the address is not used.")
    static let healthy = Member(
        "healthy", .integer(1...100), default: "2", "How many checks must pass before it is used again.")
    static let shape: Shape = Shape(
        "health", definition: "health", required: ["path"], path, interval, timeout, unhealthy, healthy)
}

extension ValueType where Value == ConfigHealthCheck {
    static let healthCheck = ValueType.object(HealthCheckShape.shape, prefixes: true) { values in
        values.located(HealthCheckShape.path).map { path in
            ConfigHealthCheck(
                path: path, interval: values.located(HealthCheckShape.interval),
                timeout: values.located(HealthCheckShape.timeout),
                unhealthy: values.located(HealthCheckShape.unhealthy),
                healthy: values.located(HealthCheckShape.healthy))
        }
    }
}

extension ShapeValues {
    /// Reports a bound that is beyond another. Each has a default, if it has one.
    func requireOrder(_ least: Member<Nanoseconds>, _ most: Member<Nanoseconds>) {
        guard !isUnknown(least), !isUnknown(most), let first = read(least) ?? Self.fallback(least),
            let last = read(most) ?? Self.fallback(most), first > last,
            let place = node(most)?.place ?? node(least)?.place
        else { return }
        func name(_ member: Member<Nanoseconds>) -> String {
            Subject(member.name, of: prefix).text + (has(member) ? "" : " (\(member.fallback ?? ""))")
        }
        reader.error("\(name(most)) is less than \(name(least))", at: place)
    }

    private static func fallback(_ member: Member<Nanoseconds>) -> Nanoseconds? {
        member.fallback.flatMap { Quantity.time.parse($0) }
    }
}
