import EndpointPlans

extension CapacityReport {
    /// The report as text, without a title for the file:
    ///
    ///     2000 requests/s, all endpoints alike; 2 loops
    ///       cpu          0.4 cores of 2; 200 us a request, estimated: 80, 60 a call, 2 a KiB of bodies (...)
    ///       diary        4000 calls/s of 40 ms: 80 in flight a loop, of 64 connections: calls wait, and ...
    ///       requests     40 ms; 40 in flight a loop, of 2048; 80 clients at once, of 10000
    ///       memory       about 30 MiB; at most 1.8 GiB: 1 GiB upstreamBodies, ...
    ///       if diary is silent: its 128 connections are taken at once, further calls fail after 1 s, ...
    ///       first limit at 0.80 times this load: diary's connections
    package var text: String {
        var lines = [title]
        var rows = [("cpu", processor.text)]
        rows += upstreams.map { ($0.name, $0.text(loops: loops)) }
        rows += [("requests", requests.text(loops: loops)), ("memory", memory.text)]
        let width = max(11, rows.map { $0.0.count }.filter { $0 <= 40 }.max() ?? 0)
        for (name, text) in rows {
            let padding = String(repeating: " ", count: max(0, width - name.count))
            lines.append("  \(ReportText.shown(name))\(padding)  \(text)")
        }
        for upstream in upstreams {
            if let silence = upstream.silence {
                lines.append("  if \(ReportText.shown(upstream.name)) is silent: \(silence.text)")
            }
        }
        for note in notes { lines.append("  \(ReportText.shown(note))") }
        if let first {
            let factor = 1 / first.ratio
            lines.append(
                "  first limit at \(NumberText.significant(factor)) times this load: "
                    + ReportText.shown(first.name))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var title: String {
        let rate = "\(NumberText.significant(self.rate)) requests/s"
        let loops = "\(self.loops) \(self.loops == 1 ? "loop" : "loops")"
        guard let measurement else { return "\(rate), all endpoints alike; \(loops)" }
        let time = NumberText.significant(measurement.seconds)
        let span = measurement.isSinceStart ? "since the start, \(time) s ago" : "in \(time) s"
        let measured = NumberText.significant(measurement.rate)
        guard abs(measurement.rate - self.rate) > 0.001 * self.rate else {
            return "\(rate), measured \(span); \(loops)"
        }
        return "\(rate), from \(measured) requests/s measured \(span); \(loops)"
    }
}

extension UpstreamLoad {
    fileprivate func text(loops: Int) -> String {
        guard callRate > 0 else { return "no calls" }
        let source = latencySource == .given ? "" : ", \(latencySource.rawValue)"
        var text =
            "\(NumberText.significant(callRate)) calls/s of \(ReportNumber(latency).time)\(source): "
            + "\(NumberText.significant(inFlight)) in flight a loop, of \(connections) connections"
        if let relays, relaysInFlight > 0 {
            text +=
                "; \(NumberText.significant(relaysInFlight)) of them pass through, of \(relays)"
                + Self.advice(
                    relaysInFlight, of: relays, key: "limits.connections or limits.passThrough", loops)
        }
        if let concurrency, inFlight * Double(loops) > Double(concurrency) {
            let share = 1 - Double(concurrency) / (inFlight * Double(loops))
            return text + "; concurrency: \(concurrency) refuses \(NumberText.percent(share)) of the calls; "
                + "concurrency: \(Self.enough(for: inFlight * Double(loops)))"
        }
        return text + Self.advice(inFlight, of: connections, key: "limits.connections", loops, wait: wait)
    }

    /// Says what happens to calls beyond the connections, and what to set.
    private static func advice(
        _ inFlight: Double, of connections: Int, key: String, _ loops: Int, wait: Nanoseconds? = nil
    ) -> String {
        guard waitsAtPeaks(inFlight, limit: connections) else { return "" }
        let set = "\(key): \(enough(for: inFlight))"
        guard inFlight > Double(connections) else { return ": calls wait at peaks; \(set)" }
        let failing = NumberText.percent(1 - Double(connections) / inFlight)
        let after = wait.map { " after \(ReportNumber($0).time)" } ?? ""
        let needed = Int((inFlight * Double(loops) / Double(connections)).rounded(.up))
        let more = needed == loops + 1 ? "a \(NumberText.ordinal(needed)) loop" : "\(needed) loops"
        return ": calls wait, and \(failing) of them fail\(after); \(set), or \(more)"
    }
}

extension RequestLoad {
    fileprivate func text(loops: Int) -> String {
        var text = ReportNumber(latency).time
        if let slowest {
            text += " on average, \(ReportNumber(slowest.latency).time) of \(ReportText.shown(slowest.title))"
        }
        text += "; \(NumberText.significant(inFlight)) in flight a loop, of \(limit)"
        if inFlightOfOne > Double(limitOfOne) {
            text += ", \(NumberText.significant(inFlightOfOne)) of one endpoint, of \(limitOfOne)"
        }
        if inFlight > Double(limit) || inFlightOfOne > Double(limitOfOne) {
            let enough = UpstreamLoad.enough(for: max(inFlight, 2 * inFlightOfOne))
            text += ": some are refused; limits.requestsInFlight: \(enough)"
        }
        return text + "; \(NumberText.significant(inFlight * Double(loops))) clients at once, of \(clients)"
    }
}

extension MemoryLoad {
    fileprivate var text: String {
        let parts = bounds.map { "\(ByteText.of($0.bytes)) \($0.what)" }.joined(separator: ", ")
        return "about \(ByteText.of(resident)); at most \(ByteText.of(most)): \(parts); "
            + "\(descriptors.used) of \(descriptors.all) descriptors"
    }
}

extension SilentUpstream {
    fileprivate var text: String {
        var text: String
        if let taken {
            let after = taken == 0 ? "at once" : "after \(Self.rounded(taken).time)"
            text = "its \(places) \(bound) are taken \(after), further calls fail "
            text += wait == 0 ? "at once" : "after \(ReportNumber(wait).time)"
        } else {
            text = "its calls hold \(held) of \(places) \(bound)"
        }
        guard hasCircuit else { return text + ", it has no circuit" }
        guard let opens else {
            return text + ", its circuit does not open within \(ReportNumber(Self.horizon).time)"
        }
        return text + ", its circuit opens after \(Self.rounded(opens).time)"
    }

    /// Returns a time with two digits.
    private static func rounded(_ time: Nanoseconds) -> ReportNumber {
        var unit = 1_000_000
        while time / unit >= 100 { unit *= 10 }
        return ReportNumber((time + unit / 2) / unit * unit)
    }
}

/// Numbers in texts.
enum NumberText {
    /// Returns a number with two digits, or with all digits before the point: `0.00042`, `0.84`, `3.1`,
    /// `4000`. Only a number below 10^-12 is `0`.
    static func significant(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "?" }
        var places = 0
        var scale = 1.0
        while places < 12, number * scale < 9.95, number > 0 {
            places += 1
            scale *= 10
        }
        return decimal(number, places: places)
    }

    /// Returns a number with at most so many places: `0.4`, `12`.
    static func decimal(_ number: Double, places: Int) -> String {
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let scaled = Int((number * Double(scale)).rounded())
        let rest = String("\(scaled % scale + scale)".dropFirst().reversed().drop { $0 == "0" }.reversed())
        return rest.isEmpty ? "\(scaled / scale)" : "\(scaled / scale).\(rest)"
    }

    static func percent(_ share: Double) -> String { "\(Int((100 * share).rounded(.up))) %" }

    static func ordinal(_ number: Int) -> String {
        switch number {
        case 2: "second"
        case 3: "third"
        case 4: "fourth"
        default: "\(number)th"
        }
    }
}
