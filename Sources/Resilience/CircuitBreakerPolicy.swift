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

    package enum Ranges {
        package static let window = Duration.seconds(1)...(.seconds(600))
        package static let minimumCalls = 1...100_000
        package static let open = Duration.milliseconds(100)...(.seconds(600))
        package static let maxOpen = Duration.milliseconds(100)...(.seconds(3600))
        package static let probes = 1...100
    }

    /// One line for each setting out of its range: its name, value and range.
    public var faults: [String] {
        var faults = RangeFaults()
        faults.check("window", window, in: Ranges.window)
        faults.check("minimumCalls", minimumCalls, in: Ranges.minimumCalls)
        faults.check(share: "failureRate", failureRate)
        faults.check("open", open, in: Ranges.open)
        faults.check("maxOpen", maxOpen, from: "open", open, in: Ranges.maxOpen)
        faults.check("probes", probes, in: Ranges.probes)
        return faults.list
    }
}
