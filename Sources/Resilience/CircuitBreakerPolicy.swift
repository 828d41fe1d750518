/// When an upstream's circuit opens, and how it closes again.
public struct CircuitBreakerPolicy: Sendable, Hashable {
    /// How long attempts count. 1 s to 10 min, default 10 s.
    public var window = Duration.seconds(10)
    /// The fewest attempts within the window that can open the circuit. 1 to 100 000, default 20.
    public var minimumCalls = 20
    /// The part of the attempts that must have failed to open the circuit. More than 0, at most 1.
    /// Default 0.5.
    public var failureRate = 0.5
    /// How long the circuit stays open the first time, ±10 %. Doubled each time it opens again. 100 ms to 10
    /// min, default 5 s.
    public var open = Duration.seconds(5)
    /// The longest time that the circuit stays open. From `open` to 1 h, default 15 s.
    public var maxOpen = Duration.seconds(15)
    /// How many attempts must succeed, one after another, to close the circuit. 1 to 100, default 3.
    public var probes = 3

    /// Creates the default policy.
    public init() {}

    /// One line for each setting out of its range: its name, value and range.
    public var faults: [String] {
        var faults: [String] = []
        func check(_ name: String, _ isValid: Bool, _ value: String, _ range: String) {
            if !isValid { faults.append("\(name): \(value) is not \(range)") }
        }
        func check(_ name: String, _ value: Duration, _ range: ClosedRange<Duration>, _ text: String) {
            check(name, range.contains(value), "\(value)", text)
        }
        check("window", window, .seconds(1)...(.seconds(600)), "between 1 s and 10 min")
        check(
            "minimumCalls", (1...100_000).contains(minimumCalls), "\(minimumCalls)",
            "between 1 and 100000")
        check(
            "failureRate", failureRate > 0 && failureRate <= 1, "\(failureRate)",
            "more than 0 and at most 1")
        check("open", open, .milliseconds(100)...(.seconds(600)), "between 100 ms and 10 min")
        check(
            "maxOpen", maxOpen >= open && maxOpen <= .seconds(3600), "\(maxOpen)",
            "between open (\(open)) and 1 h")
        check("probes", (1...100).contains(probes), "\(probes)", "between 1 and 100")
        return faults
    }
}
