import Resilience

/// What an upstream does to the gateway that accepts connections and answers nothing: its places are taken,
/// further calls fail, and its circuit opens.
package struct SilentUpstream: Sendable, Equatable {
    /// The most calls that may be in flight to it from all loops.
    package var places: Int
    /// What bounds them: a word of the file, `connections` or `concurrency`.
    package var bound: String
    /// Nanoseconds until all places are taken; nil if calls give up earlier.
    package var taken: Nanoseconds?
    /// The calls in flight to it at most.
    package var held: Int
    /// Nanoseconds that further calls wait for a place before they fail.
    package var wait: Nanoseconds
    /// Whether it has a circuit.
    package var hasCircuit: Bool
    /// Nanoseconds until its circuit opens; nil if it does not open in `horizon`.
    package var opens: Nanoseconds?

    /// How far the estimate looks.
    package static let horizon: Nanoseconds = 60_000_000_000
    private static let step: Nanoseconds = 5_000_000

    /// Calls of the same patience.
    struct Flow {
        /// Calls a second of all loops.
        var rate: Double
        /// Nanoseconds after which a call fails.
        var patience: Nanoseconds
    }

    /// - Parameters:
    ///   - flows: the calls that do not wait for another response of this upstream.
    ///   - succeeding: calls a second that have succeeded before.
    ///   - latency: nanoseconds of a response before.
    ///   - places: the most calls in flight from all loops, and what bounds them.
    ///   - wait: nanoseconds that a call waits for a place.
    ///   - breaker: nil without a circuit.
    init(
        _ flows: [Flow], succeeding: Double, latency: Nanoseconds, places: (count: Int, bound: String),
        wait: Nanoseconds, breaker: CircuitBreakerPolicy?
    ) {
        self.places = places.count
        bound = places.bound
        self.wait = wait
        hasCircuit = breaker != nil
        var course = Course(
            Self.merged(flows), inFlight: succeeding * Double(latency) / 1e9, latency: latency,
            places: Double(places.count), wait: wait)
        var taken: Int?
        var opens: Int?
        let steps = Self.horizon / Self.step
        // Without a circuit, the time in which the first calls give up decides.
        let last = breaker == nil ? min(steps, course.longest + 1) : steps
        for step in 0..<last {
            course.advance(to: step)
            if taken == nil, course.isFull { taken = step }
            if let breaker, course.opens(breaker, succeeding: succeeding) {
                opens = step
                break
            }
        }
        self.taken = taken.map { $0 * Self.step }
        self.opens = opens.map { $0 * Self.step }
        held = Int(course.most.rounded())
    }

    private static func merged(_ flows: [Flow]) -> [Flow] {
        var rates: [Nanoseconds: Double] = [:]
        for flow in flows { rates[flow.patience, default: 0] += flow.rate }
        return rates.sorted { $0.key < $1.key }.map { Flow(rate: $0.value, patience: $0.key) }
    }

    /// The calls in flight, waiting and failed, in small steps of time. Numbers of calls may be fractions.
    private struct Course {
        private struct Waiting {
            var since: Int
            var flow: Int
            var count: Double
        }

        private let flows: [Flow]
        private let places: Double
        private let patience: [Int]
        private let longestWait: Int
        private var inFlight = 0.0
        private var waiting: [Waiting] = []
        private var first = 0
        /// The failures of each step.
        private var failures: [Double]
        private var now = 0
        private(set) var most = 0.0

        /// The steps until the first calls of each flow have failed.
        var longest: Int { patience.max() ?? 0 }
        var isFull: Bool { inFlight >= places - 1e-6 }

        init(
            _ flows: [Flow], inFlight before: Double, latency: Nanoseconds, places: Double,
            wait: Nanoseconds
        ) {
            self.flows = flows
            self.places = places
            patience = flows.map { max(1, $0.patience / step) }
            longestWait = wait / step
            failures = [Double](repeating: 0, count: horizon / step + 1)
            // Calls are in flight when the silence begins.
            let total = flows.reduce(0) { $0 + $1.rate }
            let steps = max(1, latency / step)
            inFlight = min(before, places)
            for (flow, patience) in zip(flows, patience) {
                let count = inFlight * flow.rate / total / Double(steps)
                for age in 1...steps { fail(count, at: max(0, patience - age)) }
            }
        }

        private mutating func fail(_ count: Double, at step: Int) {
            if step < failures.count { failures[step] += count }
        }

        mutating func advance(to step: Int) {
            now = step
            inFlight = max(0, inFlight - failures[step])
            while first < waiting.count, step - waiting[first].since > longestWait { first += 1 }
            for (index, flow) in flows.enumerated() {
                let count = flow.rate * Double(SilentUpstream.step) / 1e9
                waiting.append(Waiting(since: step, flow: index, count: count))
            }
            while first < waiting.count, !isFull {
                let count = min(waiting[first].count, places - inFlight)
                fail(count, at: step + patience[waiting[first].flow])
                inFlight += count
                waiting[first].count -= count
                if waiting[first].count <= 1e-9 { first += 1 }
            }
            most = max(most, inFlight)
        }

        /// Whether the failures of this step open the circuit. Earlier successes count as long as they are
        /// in the window.
        func opens(_ breaker: CircuitBreakerPolicy, succeeding: Double) -> Bool {
            guard failures[now] > 0 else { return false }
            // The window consists of ten periods, of which the current one has passed half on average.
            let window = Double(breaker.window.inNanoseconds) * 0.95
            let count = min(now, Int(window) / step)
            let failed = failures[(now - count)...now].reduce(0, +)
            let succeeded = succeeding * max(0, window - Double(now * step)) / 1e9
            return failed + succeeded >= Double(breaker.minimumCalls)
                && failed >= breaker.failureRate * (failed + succeeded)
        }
    }
}
