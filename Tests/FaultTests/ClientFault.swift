import GatewayCore
import TestSupport
import Testing

@testable import GatewayHTTP

/// A fault of a client and the expected result.
struct ClientFault: Sendable, CustomTestStringConvertible {
    enum Step: Sendable {
        case send(String)
        case sendBytes([UInt8])
        /// Sends one byte at a time, with a pause after each, until the gateway answers or closes.
        case trickle(String, pauseMilliseconds: Int32)
        /// Expects the complete page.
        case page
        /// Expects a failure in the envelope.
        case refusal(Int, String)
        /// Expects an interim answer.
        case interim(Int)
        /// Expects an orderly close and no bytes before it.
        case end
        /// Expects a reset, whatever bytes come before it.
        case cut
        /// Sends FIN.
        case finish
        /// Sends RST.
        case reset
    }

    let name: String
    let steps: [Step]
    /// Whether the connection stays usable.
    var isReused = false
    /// The size of the client's receive buffer in bytes; nil for the kernel's default.
    var receiveBuffer: Int32?

    var testDescription: String { name }

    init(_ name: String, _ steps: Step..., isReused: Bool = false, receiveBuffer: Int32? = nil) {
        self.name = name
        self.steps = steps
        self.isReused = isReused
        self.receiveBuffer = receiveBuffer
    }

    static func refused(_ name: String, _ request: String, _ status: Int, _ code: String) -> ClientFault {
        ClientFault(name, .send(request), .refusal(status, code), .end)
    }

    /// Limits short enough for a test.
    static func limits(_ configuration: inout GatewayServerConfiguration) {
        configuration.limits.requestBody = 1000
        // Longer than the others: it is counted from accept, and a busy machine may delay the client.
        configuration.inbound.headerDeadline = .milliseconds(500)
        configuration.inbound.bodyDeadline = .milliseconds(80)
        configuration.inbound.sendStall = .milliseconds(80)
    }
}
