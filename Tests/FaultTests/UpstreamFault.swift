import HTTPModel
import Networking
import NetworkingSession
import TestSupport
import Testing

/// A fault of an upstream and the expected answer to the client.
struct UpstreamFault: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable {
        /// The part fails with this kind and one of these reasons (the kernel may decide which). If the part
        /// is required, the answer has this status.
        case failure(OutcomeKind, [String], Int)
        /// The response is used, and the part has this data.
        case served(String)
    }

    let name: String
    var door = ScriptedUpstream.Door.open
    /// The script of each connection that meets the fault.
    let script: [ScriptedUpstream.Step]
    let outcome: Outcome
    var attempts = 1...1
    /// Whether the connection stays usable. If so, it serves the following requests, and no other connection
    /// is opened.
    var isReused = false
    var method = HTTPMethod.get
    /// The policy of the faulty call. Its limits are long unless they end the call.
    var policy = FaultGateway.patient
    /// The milliseconds that the gateway reports for the failure.
    var elapsed = 0...20_000
    /// The gateway's TLS configuration for the faulty upstream.
    var tls = UpstreamScheme.configuration
    /// Whether connections over TLS begin with a handshake. If not, the script controls the connection from
    /// the first byte.
    var isSecure = true
    /// A field that the answer has if the part is required.
    var field: (name: String, value: String)?

    var testDescription: String { name }

    /// Returns a fault of the network or of HTTP framing.
    static func network(
        _ name: String, _ script: [ScriptedUpstream.Step], _ reasons: String..., status: Int = 502,
        attempts: Int = 1
    ) -> UpstreamFault {
        UpstreamFault(
            name: name, script: script, outcome: .failure(.networkFail, reasons, status),
            attempts: attempts...attempts)
    }

    /// Returns a fault in the content of a complete HTTP response.
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

    /// Returns this fault with a connection that serves the next call.
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

    /// Returns this fault as a fault of TLS itself: the script controls the connection from the first byte.
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

    /// Returns a response with the right length.
    static func response(_ status: String = "200 OK", _ body: String = late, _ fields: String = "") -> String
    {
        "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}
