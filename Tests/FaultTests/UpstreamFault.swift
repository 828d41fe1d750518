import HTTPModel
import Networking
import NetworkingSession
import TestSupport
import Testing

/// One thing that an upstream does wrong, and what a client must see of it.
struct UpstreamFault: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable {
        /// The part fails: its kind, its reason (any of them, where the kernel decides), and the answer's status where
        /// the part is required.
        case failure(OutcomeKind, [String], Int)
        /// The answer is used: the part's data.
        case served(String)
    }

    let name: String
    var door = ScriptedUpstream.Door.open
    /// What each connection that meets the fault goes through.
    let script: [ScriptedUpstream.Step]
    let outcome: Outcome
    var attempts = 1...1
    /// Whether the connection lives on: then it serves what follows, and no other is opened.
    var isReused = false
    var method = HTTPMethod.get
    /// How long the faulty call may take, where that is what ends it.
    var policy = FaultGateway.patient
    /// Milliseconds that the gateway tells for the failure.
    var elapsed = 0...20_000
    /// What the gateway asks of the faulty upstream where TLS is spoken.
    var tls = Speech.configuration
    /// Whether its connections begin with a handshake where TLS is spoken; else the script says what they begin with.
    var isSecure = true
    /// A field that the answer has where the part is required.
    var field: (name: String, value: String)?

    var testDescription: String { name }

    /// The table's short forms: what the part's kind and the answer's status are follows from the reason.
    static func network(
        _ name: String, _ script: [ScriptedUpstream.Step], _ reasons: String..., status: Int = 502,
        attempts: Int = 1
    ) -> UpstreamFault {
        UpstreamFault(
            name: name, script: script, outcome: .failure(.networkFail, reasons, status),
            attempts: attempts...attempts)
    }

    /// A whole HTTP response whose content cannot be used.
    static func path(_ name: String, _ response: String, _ reason: String = "decode_error") -> UpstreamFault {
        path(name, bytes: Array(response.utf8), reason)
    }

    static func path(_ name: String, bytes: [UInt8], _ reason: String = "decode_error") -> UpstreamFault {
        UpstreamFault(
            name: name, script: [.readRequest, .sendBytes(bytes)], outcome: .failure(.pathErr, [reason], 502),
            isReused: true)
    }

    static func status(
        _ name: String, _ kind: OutcomeKind, _ response: String, _ status: Int, attempts: Int = 1,
        field: (String, String)? = nil
    ) -> UpstreamFault {
        UpstreamFault(
            name: name,
            script: Array(
                repeating: [ScriptedUpstream.Step.readRequest, .send(response)], count: attempts
            ).flatMap { $0 }, outcome: .failure(kind, ["upstream_status"], status),
            attempts: attempts...attempts, isReused: true, field: field)
    }

    static func served(
        _ name: String, _ script: [ScriptedUpstream.Step], _ data: String = late, isReused: Bool = false
    ) -> UpstreamFault {
        UpstreamFault(name: name, script: script, outcome: .served(data), isReused: isReused)
    }

    /// On a connection that serves the next call too.
    func reusing() -> UpstreamFault {
        var fault = self
        fault.isReused = true
        return fault
    }

    func by(_ method: HTTPMethod) -> UpstreamFault {
        var fault = self
        fault.method = method
        return fault
    }

    /// From the first byte on by the script alone: a fault of TLS itself.
    func bare(_ change: (inout TLSConfiguration) -> Void = { _ in }) -> UpstreamFault {
        var fault = self
        fault.isSecure = false
        change(&fault.tls)
        return fault
    }

    func within(_ elapsed: ClosedRange<Int>, _ change: (inout CallPolicy) -> Void = { _ in }) -> UpstreamFault
    {
        var fault = self
        change(&fault.policy)
        fault.elapsed = elapsed
        return fault
    }

    /// The data of answers that are used though something is wrong around them.
    static let late = #"{"late":1}"#

    /// A response with the right length.
    static func response(_ status: String = "200 OK", _ body: String = late, _ fields: String = "") -> String
    {
        "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}
