/// What the metrics of a running gateway say about its load, between two readings or since its start.
package struct CapacityMeasurement: Sendable {
    /// What the calls to one upstream were.
    package struct Upstream: Sendable, Equatable {
        /// Attempts, retries included.
        package var calls: Double
        /// Nanoseconds of an attempt on average.
        package var latency: Nanoseconds

        package init(calls: Double, latency: Nanoseconds) {
            self.calls = calls
            self.latency = latency
        }
    }

    /// The time between the readings.
    package var seconds: Double
    /// Whether the first reading is the start of the process, because no request came between two.
    package var isSinceStart: Bool
    package var requests: Double
    /// Seconds of the processor.
    package var processorTime: Double
    /// Nanoseconds of a request on average.
    package var latency: Nanoseconds
    /// Seconds of all requests of the route that has most.
    package var busiestRoute: Double
    package var upstreams: [String: Upstream]
    /// Resident memory at the end.
    package var resident: ByteCount
    package var loops: Int
    /// The limits of the process and its fullest loop, by their names in metrics, with their use at the end.
    package var limits: [LimitUse]

    package init(
        seconds: Double, isSinceStart: Bool, requests: Double, processorTime: Double, latency: Nanoseconds,
        busiestRoute: Double, upstreams: [String: Upstream], resident: ByteCount, loops: Int,
        limits: [LimitUse]
    ) {
        self.seconds = seconds
        self.isSinceStart = isSinceStart
        self.requests = requests
        self.processorTime = processorTime
        self.latency = latency
        self.busiestRoute = busiestRoute
        self.upstreams = upstreams
        self.resident = resident
        self.loops = loops
        self.limits = limits
    }

    package var rate: Double { requests / max(seconds, 0.001) }
}

extension LimitUse {
    package init(_ name: String, used: Int, limit: Int) {
        self.init(name: name, used: Double(used), limit: Double(limit))
    }
}

extension CapacityReport {
    /// The names of limits of the metrics that the report shows by Little's law, or that do not grow with the
    /// load.
    private static let shownOtherwise: Set = ["requests_in_flight", "descriptors", "connections"]

    /// Tells the measured load of a running gateway, or what another rate would take of it.
    ///
    /// - Parameters:
    ///   - measurement: the gateway's.
    ///   - document: the file that it serves.
    ///   - rate: requests a second; nil for the measured ones.
    ///   - descriptors: how a process with the descriptors of this one divides them.
    package init(
        _ measurement: CapacityMeasurement, of document: ConfigDocument, rate: Double?,
        _ descriptors: DescriptorShares
    ) {
        let scale = rate.map { measurement.rate > 0 ? $0 / measurement.rate : 0 } ?? 1
        let load = CapacityLoad(
            rate: measurement.rate * scale,
            latencies: measurement.upstreams.mapValues(\.latency).filter { $0.value > 0 },
            loops: measurement.loops)
        let seconds = max(measurement.seconds, 0.001)
        self.init(
            document, load, descriptors, calls: measurement.upstreams.mapValues { $0.calls / seconds * scale }
        )
        self.measurement = measurement
        for index in upstreams.indices where load.latencies[upstreams[index].name] != nil {
            upstreams[index].latencySource = .measured
        }
        let inFlight = measurement.requests * Double(measurement.latency) / 1e9
        let perLoop = scale / seconds / Double(loops)
        self.requests.latency = measurement.latency
        self.requests.slowest = nil
        self.requests.inFlight = inFlight * perLoop
        self.requests.inFlightOfOne = measurement.busiestRoute * perLoop
        processor = ProcessorLoad(
            rate: load.rate, measured: measurement.processorTime / max(1, measurement.requests), loops: loops)
        memory.resident = measurement.resident
        for limit in measurement.limits where limit.name == "descriptors" {
            memory.descriptors = (Int(limit.used), Int(limit.limit))
        }
        for limit in measurement.limits where limit.name == "connections" {
            self.requests.clients = Int(limit.limit)
        }
        otherLimits = measurement.limits.filter { !Self.shownOtherwise.contains($0.name) }.map {
            LimitUse(name: $0.name, used: $0.used * scale, limit: $0.limit)
        }
    }
}
