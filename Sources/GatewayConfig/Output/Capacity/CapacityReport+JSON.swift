import EndpointPlans
import JSONBytes

extension CapacityReport {
    /// Writes the member `capacity` of a plan. Rates are per second, times milliseconds, sizes bytes; numbers
    /// in flight are for one loop.
    ///
    ///     "capacity":{"rate":100,"loops":2,"measured":null,
    ///      "cpu":{"cores":0.04,"available":2,"microseconds":400,"base":...,"calls":...,"bodies":...},
    ///      "upstreams":[{"name":"diary","callRate":200,"latencyMs":40,"latency":"given","inFlight":4,
    ///       "connections":64,"concurrency":null,"silent":{"places":128,"bound":"connections","takenMs":600,
    ///       "held":128,"waitMs":1000,"opensMs":10000}}],
    ///      "requests":{"latencyMs":40,"inFlight":2,"limit":2048,"inFlightOfOne":2,"limitOfOne":1024,
    ///       "clients":4,"clientLimit":10000},
    ///      "memory":{"bytes":28311552,"most":1900000000,
    ///       "bounds":[{"bytes":1073741824,"of":"upstreamBodies"}]},
    ///      "descriptors":{"used":10100,"limit":20000},"notes":[],
    ///      "first":{"limit":"diary's connections","used":4,"of":64,"factor":16}}
    func write(to composer: inout JSONComposer) {
        composer.key("capacity")
        composer.beginObject()
        composer.number("rate", rate)
        composer.key("loops")
        composer.int(loops)
        composer.key("measured")
        if let measurement {
            composer.beginObject()
            composer.number("seconds", measurement.seconds)
            composer.key("sinceStart")
            composer.bool(measurement.isSinceStart)
            composer.number("rate", measurement.rate)
            composer.endObject()
        } else {
            composer.null()
        }
        processor.write(to: &composer)
        composer.key("upstreams")
        composer.beginArray()
        for upstream in upstreams { upstream.write(to: &composer) }
        composer.endArray()
        requests.write(loops: loops, to: &composer)
        memory.write(to: &composer)
        composer.key("notes")
        composer.beginArray()
        for note in notes { composer.string(note) }
        composer.endArray()
        composer.key("first")
        if let first {
            composer.beginObject()
            composer.key("limit")
            composer.string(first.name)
            composer.number("used", first.used)
            composer.number("of", first.limit)
            composer.number("factor", 1 / first.ratio)
            composer.endObject()
        } else {
            composer.null()
        }
        composer.endObject()
    }
}

extension ProcessorLoad {
    fileprivate func write(to composer: inout JSONComposer) {
        composer.key("cpu")
        composer.beginObject()
        composer.number("cores", cores)
        composer.key("available")
        composer.int(loops)
        composer.number("microseconds", perRequest / 1000)
        if let costs {
            composer.number("base", costs.base / 1000)
            composer.number("calls", costs.calls / 1000)
            composer.number("bodies", costs.bodies / 1000)
        }
        composer.endObject()
    }
}

extension UpstreamLoad {
    fileprivate func write(to composer: inout JSONComposer) {
        composer.beginObject()
        composer.key("name")
        composer.string(name)
        composer.number("callRate", callRate)
        composer.number("latencyMs", Double(latency) / 1e6)
        composer.key("latency")
        composer.string(latencySource.rawValue)
        composer.number("inFlight", inFlight)
        composer.key("connections")
        composer.int(connections)
        composer.key("concurrency")
        if let concurrency { composer.int(concurrency) } else { composer.null() }
        composer.key("silent")
        if let silence { silence.write(to: &composer) } else { composer.null() }
        composer.endObject()
    }
}

extension SilentUpstream {
    fileprivate func write(to composer: inout JSONComposer) {
        composer.beginObject()
        composer.key("places")
        composer.int(places)
        composer.key("bound")
        composer.string(bound)
        composer.milliseconds("takenMs", taken)
        composer.key("held")
        composer.int(held)
        composer.milliseconds("waitMs", wait)
        composer.milliseconds("opensMs", opens)
        composer.endObject()
    }
}

extension RequestLoad {
    fileprivate func write(loops: Int, to composer: inout JSONComposer) {
        composer.key("requests")
        composer.beginObject()
        composer.number("latencyMs", Double(latency) / 1e6)
        composer.number("inFlight", inFlight)
        composer.key("limit")
        composer.int(limit)
        composer.number("inFlightOfOne", inFlightOfOne)
        composer.key("limitOfOne")
        composer.int(limitOfOne)
        composer.number("clients", inFlight * Double(loops))
        composer.key("clientLimit")
        composer.int(clients)
        composer.endObject()
    }
}

extension MemoryLoad {
    fileprivate func write(to composer: inout JSONComposer) {
        composer.key("memory")
        composer.beginObject()
        composer.key("bytes")
        composer.int(resident)
        composer.key("most")
        composer.int(most)
        composer.key("bounds")
        composer.beginArray()
        for bound in bounds {
            composer.beginObject()
            composer.key("bytes")
            composer.int(bound.bytes)
            composer.key("of")
            composer.string(bound.what)
            composer.endObject()
        }
        composer.endArray()
        composer.endObject()
        composer.key("descriptors")
        composer.beginObject()
        composer.key("used")
        composer.int(descriptors.used)
        composer.key("limit")
        composer.int(descriptors.all)
        composer.endObject()
    }
}

extension JSONComposer {
    /// Writes a number with at most four places, as a whole one if it is.
    fileprivate mutating func number(_ name: String, _ number: Double) {
        key(name)
        var scale = 10_000.0
        while scale < 1e12, abs(number) * scale < 100, number != 0 { scale *= 10 }
        let rounded = (number * scale).rounded() / scale
        guard rounded.isFinite, abs(rounded) < 1e15 else { return null() }
        if rounded == rounded.rounded() { int(Int(rounded)) } else { double(rounded) }
    }

    fileprivate mutating func milliseconds(_ name: String, _ time: Nanoseconds?) {
        guard let time else {
            key(name)
            return null()
        }
        number(name, Double(time) / 1e6)
    }
}
