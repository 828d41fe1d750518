import GatewayCore
import JSONBytes
import TestSupport
import Testing

/// After each fault the next requests succeed, on a new connection and, if it stays usable, on the same one.
/// Sockets and timers are released within a second.
@Suite("Faults of clients", .timeLimit(.minutes(2)))
struct ClientFaultTests {
    @Test(
        "A listed fault of a client ends as expected, and the next requests succeed",
        arguments: ClientFault.listed)
    func listed(_ fault: ClientFault) async throws {
        let complaints = try await BlockingThreads.run { try ClientFaultRun.complaints(fault) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test(
        "A further fault of a client ends as expected, and the next requests succeed",
        arguments: ClientFault.further)
    func further(_ fault: ClientFault) async throws {
        let complaints = try await BlockingThreads.run { try ClientFaultRun.complaints(fault) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }
}

/// Runs one fault of the table.
enum ClientFaultRun {
    // All runs share one large body. Unread bytes are not copied.
    private static let large = JSONFragment(string: "\"" + String(repeating: "a", count: 4 << 20) + "\"")

    /// Returns the expectations that were not met.
    static func complaints(_ fault: ClientFault) throws -> [String] {
        var complaints = Complaints()
        let a = try ScriptedUpstream([.readRequest, .send(Side.a.answer), .again])
        defer { a.stop() }
        let b = try ScriptedUpstream([.readRequest, .send(Side.b.answer), .again])
        defer { b.stop() }
        let gateway = try FaultGateway([.a: a.port, .b: b.port], ClientFault.limits) { gateway in
            gateway.get("/large") { _ in .fragment(large) }
        }
        defer { gateway.stop() }
        do {
            let client = try RawClient(port: gateway.port, receiveBuffer: fault.receiveBuffer)
            for (index, step) in fault.steps.enumerated() {
                do {
                    try perform(step, client, &complaints)
                } catch {
                    complaints.expect(false, "step \(index): \(error)")
                    break
                }
            }
            if fault.isReused { complaints.expectPage(client, "the same connection") }
            complaints.expectPage(port: gateway.port)
        }
        a.stop()
        b.stop()
        if let left = gateway.leftovers([a.port, b.port]) { complaints.expect(false, left) }
        return complaints.list
    }

    private static func perform(
        _ step: ClientFault.Step, _ client: RawClient, _ complaints: inout Complaints
    ) throws {
        switch step {
        case .send(let text): client.send(text)
        case .sendBytes(let bytes): client.send(bytes)
        case .trickle(let text, let pause):
            var bytes = Array(text.utf8)[...]
            while let byte = bytes.first, client.send([byte]), client.end(within: pause) == .silence {
                if bytes.count > 1 { bytes.removeFirst() }
            }
        case .page:
            let json = complaints.envelope(try client.reply(), 200, "OK")
            complaints.expectEqual(
                json?[member: "data"]?.description, "{\"a\":\(Side.a.data),\"b\":\(Side.b.data)}", "the data")
        case .refusal(let status, let code):
            let json = complaints.envelope(try client.reply(), status, code)
            complaints.expectEqual(json?[member: "data"]?.isNull, true, "data is null")
        case .interim(let status):
            complaints.expectEqual(try client.reply().status, status, "the interim status")
        case .end:
            let (bytes, end) = client.readToEnd()
            complaints.expectEqual(end, .fin, "the end")
            complaints.expectEqual(String(decoding: bytes, as: UTF8.self), "", "what comes before the end")
        case .cut:
            complaints.expect(client.isReset(within: 5000), "the connection is not reset")
        case .finish: client.shutdownWrite()
        case .reset: client.reset()
        }
    }
}
