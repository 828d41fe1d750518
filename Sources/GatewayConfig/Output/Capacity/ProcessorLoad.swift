import EndpointPlans

/// The processor time of a load.
package struct ProcessorLoad: Sendable {
    /// What one request costs, in nanoseconds.
    package struct Costs: Sendable, Equatable {
        /// The request and its answer.
        package var base: Double
        /// All its calls.
        package var calls: Double
        /// The bodies of all its responses and of its answer.
        package var bodies: Double

        package var sum: Double { base + calls + bodies }
    }

    /// Nanoseconds of one request.
    package var perRequest: Double
    package var cores: Double
    /// A loop uses one core.
    package var loops: Int
    /// Calls of one request.
    package var calls: Double
    /// Nil for a measurement.
    package var costs: Costs?
    /// The cores that the requests would take of loops that are never idle.
    private var busyCores: Double

    var limit: LimitUse { LimitUse(name: "cpu", used: busyCores, limit: Double(loops)) }
}

extension ProcessorLoad {
    // Measured with the release program: variants of the demo's charts with 1 to 8 calls and responses of 0.4
    // to 16 KiB, at 30 to 1500 requests a second, and at the most that two cores took.

    /// Nanoseconds of a request and of a call on a loop that is never idle.
    private static let busy = (request: 16_000.0, call: 11_000.0)
    /// The same on a loop that is mostly idle: each event wakes it, and finds its memory in no cache.
    private static let idle = (request: 85_000.0, call: 40_000.0)
    private static let kibibyte = 2000.0
    /// What timers and the thread of the log take in a second in which requests keep coming, and the rate
    /// that keeps them awake.
    private static let upkeep = (nanoseconds: 20_000_000.0, rate: 5.0)
    /// KiB of a response.
    private static let assumedBody = 1.0

    /// Estimates the processor time.
    ///
    /// - Parameters:
    ///   - rate: requests a second.
    ///   - calls: calls of one request.
    ///   - loops: the event loops.
    init(rate: Double, calls: Double, loops: Int) {
        let bodies = calls * Self.assumedBody * Self.kibibyte
        busyCores = rate * (Self.busy.request + calls * Self.busy.call + bodies) / 1e9
        let idleness = max(0, 1 - busyCores / Double(max(1, loops)))
        func cost(_ busy: Double, _ idle: Double) -> Double { busy + idleness * (idle - busy) }
        let upkeep = Self.upkeep.nanoseconds * (rate / (rate + Self.upkeep.rate)) / max(rate, 0.001)
        let costs = Costs(
            base: cost(Self.busy.request, Self.idle.request) + idleness * upkeep,
            calls: calls * cost(Self.busy.call, Self.idle.call), bodies: bodies)
        self.costs = costs
        perRequest = costs.sum
        cores = rate * costs.sum / 1e9
        self.loops = loops
        self.calls = calls
    }

    /// - Parameter measured: seconds of one request.
    init(rate: Double, measured: Double, loops: Int) {
        perRequest = measured * 1e9
        cores = rate * measured
        busyCores = cores
        calls = 0
        self.loops = loops
    }

    var text: String {
        var text =
            "\(NumberText.decimal(cores, places: 2)) cores of \(loops); \(Self.micros(perRequest)) us a request"
        guard let costs else { return text + ", measured" }
        let calls = self.calls > 0 ? costs.calls / self.calls : 0
        text += ", estimated: \(Self.micros(costs.base)), \(Self.micros(calls)) a call, "
        text += "\(NumberText.decimal(Self.kibibyte / 1000, places: 1)) a KiB of bodies"
        return text + " (\(NumberText.decimal(Self.assumedBody, places: 1)) KiB a response, assumed)"
    }

    private static func micros(_ nanoseconds: Double) -> String {
        NumberText.decimal(nanoseconds / 1000, places: nanoseconds < 10_000 ? 1 : 0)
    }
}
