import JSONBytes
import Networking
import TestSupport

/// Runs one fault of the table at one part of the page.
struct UpstreamFaultRun {
    let fault: UpstreamFault
    let side: Side
    let scheme: UpstreamScheme
    private var complaints = Complaints()
    /// A complaint if the failure took too long.
    private var lateness: String?

    init(_ fault: UpstreamFault, at side: Side, over scheme: UpstreamScheme) {
        self.fault = fault
        self.side = side
        self.scheme = scheme
    }

    /// Returns the unmet expectations for the answer, the next answers and the resources left open.
    static func complaints(_ fault: UpstreamFault, at side: Side, over scheme: UpstreamScheme = .http) throws
        -> [String]
    {
        // A busy machine may delay a round, so a short time is met by the fastest of several. All else must
        // be right in each round.
        var roundsLeft = fault.elapsed.upperBound < 1000 ? 5 : 1
        while true {
            var run = UpstreamFaultRun(fault, at: side, over: scheme)
            try run.run()
            roundsLeft -= 1
            guard let lateness = run.lateness else { return run.complaints.list }
            if roundsLeft == 0 || !run.complaints.list.isEmpty { return run.complaints.list + [lateness] }
        }
    }

    private var other: Side { side == .a ? .b : .a }
    /// The number of connections that meet the fault.
    private var met: Int { fault.door != .open ? 0 : fault.isReused ? 1 : fault.attempts.upperBound }

    private var scripts: [[ScriptedUpstream.Step]] {
        // For faults of TLS itself the script decides when to speak TLS.
        let good: [ScriptedUpstream.Step] =
            fault.isSecure
            ? [.readRequest, .send(side.answer), .again]
            : [.secure, .answer { [answer = side.answer] _ in answer }]
        if fault.isReused {
            // Two requests follow: one from the same client and one from a new client.
            let twice: [ScriptedUpstream.Step] = [
                .readRequest, .send(side.answer), .readRequest, .send(side.answer), .awaitEnd,
            ]
            return [fault.script + twice, good]
        }
        return Array(repeating: fault.script, count: met) + [good]
    }

    private mutating func run() throws {
        let faulty = try ScriptedUpstream(
            fault.door, scripts, tls: scheme.server, isSecure: fault.isSecure)
        defer { faulty.stop() }
        let sound = try ScriptedUpstream(tls: scheme.server, [.readRequest, .send(other.answer), .again])
        defer { sound.stop() }
        let gateway = try FaultGateway(
            [side: faulty.port, other: sound.port], scheme: scheme, tls: fault.tls, faulty: side,
            method: fault.method, policy: fault.policy)
        defer { gateway.stop() }

        do {
            let client = try RawClient(port: gateway.port)
            client.send("GET /fault HTTP/1.1\r\nHost: test\r\nX-Request-Id: fault-1\r\n\r\n")
            try check(client.reply())
            if fault.door != .open { faulty.open() }
            complaints.expectPage(client, "the same connection")
            complaints.expectPage(port: gateway.port)
            complaints.expectEqual(
                faulty.connections, fault.isReused ? 1 : met + 1, "the number of upstream connections")
        }
        faulty.stop()
        sound.stop()
        if let left = gateway.leftovers([faulty.port, sound.port]) { complaints.expect(false, left) }
    }

    private mutating func check(_ reply: RawClient.Reply) {
        complaints.expectEqual(reply.value("X-Request-Id"), "fault-1", "X-Request-Id")
        switch fault.outcome {
        case .served(let data):
            let json = complaints.envelope(reply, 200, "OK")
            complaints.expectEqual(
                json?[member: "data"]?.description, self.data(fault: data), "the data")
            complaints.expectEqual(json?[member: "errors"]?.description, nil, "errors")
        case .failure(let kind, let reasons, let status):
            checkFailure(reply, kind, reasons, status)
        }
    }

    private mutating func checkFailure(
        _ reply: RawClient.Reply, _ kind: OutcomeKind, _ reasons: [String], _ status: Int
    ) {
        let isRequired = side == .a
        let codes = [
            404: "NOT_FOUND", 502: "BAD_GATEWAY", 503: "UPSTREAM_UNAVAILABLE", 504: "UPSTREAM_TIMEOUT",
        ]
        let json = complaints.envelope(
            reply, isRequired ? status : 200, isRequired ? codes[status] ?? "" : "PARTIAL")
        complaints.expectEqual(
            json?[member: "data"]?.description, isRequired ? "null" : data(fault: "null"), "the data")
        complaints.expectEqual(reply.value("Cache-Control"), "no-store", "Cache-Control")
        complaints.expect(reply.value("Proxy-Status")?.hasPrefix("sluice") == true, "Proxy-Status is missing")
        if isRequired, let field = fault.field {
            complaints.expectEqual(reply.value(field.name), field.value, field.name)
        }
        let meta = json?[member: "meta"]
        complaints.expectEqual(meta?[member: "complete"]?.description, "false", "complete")
        let kinds = meta?[member: "parts"]
        complaints.expectEqual(kinds?[member: side.rawValue]?.stringValue, kind.rawValue, "the part's kind")
        complaints.expectEqual(
            kinds?[member: other.rawValue]?.stringValue, "success", "the other part's kind")
        let error = json?[member: "errors"]?[element: 0]
        complaints.expectEqual(error?[member: "part"]?.stringValue, side.rawValue, "the part")
        complaints.expectEqual(error?[member: "kind"]?.stringValue, kind.rawValue, "the kind")
        let reason = error?[member: "reason"]?.stringValue ?? "none"
        complaints.expect(reasons.contains(reason), "the reason is \(reason), expected one of \(reasons)")
        let attempts = error?[member: "attempts"]?.intValue ?? -1
        complaints.expect(
            fault.attempts.contains(attempts), "\(attempts) attempts, expected \(fault.attempts)")
        let elapsed = error?[member: "elapsedMs"]?.intValue ?? -1
        let expected = fault.elapsed.lowerBound...fault.elapsed.upperBound * Sanitizer.slowdown
        complaints.expect(elapsed >= expected.lowerBound, "\(elapsed) ms, expected \(expected)")
        if elapsed > expected.upperBound { lateness = "\(elapsed) ms, expected \(expected)" }
    }

    private func data(fault: String) -> String {
        "{\"a\":\(side == .a ? fault : Side.a.data),\"b\":\(side == .b ? fault : Side.b.data)}"
    }
}
