import HTTPModel
import Networking
import NetworkingSession
import TestSupport
import Testing

/// One fault of an upstream and the expected result for the client.
struct UpstreamFault: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable {
        /// The part fails with this kind, one of these reasons (the kernel may decide which), and this status if the part is
        /// required.
        case failure(OutcomeKind, [String], Int)
        /// The response is used, with this data of the part.
        case served(String)
    }

    let name: String
    var door = ScriptedUpstream.Door.open
    /// The script of each connection that meets the fault.
    let script: [ScriptedUpstream.Step]
    let outcome: Outcome
    var attempts = 1...1
    /// Whether the connection stays usable: then it serves the following requests, and no other is opened.
    var isReused = false
    var method = HTTPMethod.get
    /// The time limit of the faulty call, if that ends it.
    var policy = FaultGateway.patient
    /// The milliseconds that the gateway reports for the failure.
    var elapsed = 0...20_000
    /// The gateway's TLS configuration for the faulty upstream.
    var tls = UpstreamScheme.configuration
    /// Whether connections over TLS begin with a handshake; otherwise the script decides.
    var isSecure = true
    /// A field of the answer if the part is required.
    var field: (name: String, value: String)?

    var testDescription: String { name }

    /// Short forms for the table: the reason implies the part's kind and the answer's status.
    static func network(
        _ name: String, _ script: [ScriptedUpstream.Step], _ reasons: String..., status: Int = 502,
        attempts: Int = 1
    ) -> UpstreamFault {
        UpstreamFault(
            name: name, script: script, outcome: .failure(.networkFail, reasons, status),
            attempts: attempts...attempts)
    }

    /// A complete HTTP response with unusable content.
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

    /// A fault after which the connection serves the next call.
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

    /// A fault of TLS itself: the script controls the connection from the first byte.
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

    /// The data of responses that are used despite the fault.
    static let late = #"{"late":1}"#

    /// A response with the right length.
    static func response(_ status: String = "200 OK", _ body: String = late, _ fields: String = "") -> String
    {
        "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}
