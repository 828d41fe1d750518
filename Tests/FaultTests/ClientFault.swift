import GatewayCore
import TestSupport
import Testing

@testable import GatewayHTTP

/// One fault of a client and the expected result.
struct ClientFault: Sendable, CustomTestStringConvertible {
    enum Step: Sendable {
        case send(String)
        case sendBytes([UInt8])
        /// Sends one byte at a time, with a pause after each, until the gateway answers or closes.
        case trickle(String, pauseMilliseconds: Int32)
        /// The complete page.
        case page
        /// A failure in the envelope.
        case refusal(Int, String)
        /// An interim answer.
        case interim(Int)
        /// An orderly close, with nothing before it.
        case end
        /// A close, whatever bytes the client has not read before it.
        case cut
        /// FIN.
        case finish
        /// RST.
        case reset
    }

    let name: String
    let steps: [Step]
    /// Whether the connection stays usable.
    var isReused = false
    /// Bytes that the client's kernel buffers while the client does not read.
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
        // Counted from accept: on a busy machine even a punctual client may be late.
        configuration.inbound.headerDeadline = .milliseconds(500)
        configuration.inbound.bodyDeadline = .milliseconds(80)
        configuration.inbound.sendStall = .milliseconds(80)
    }
}
