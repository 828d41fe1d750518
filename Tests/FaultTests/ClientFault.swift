import GatewayCore
import TestSupport
import Testing

@testable import GatewayHTTP

/// One thing that a client does wrong, and what it gets.
struct ClientFault: Sendable, CustomTestStringConvertible {
    enum Step: Sendable {
        case send(String)
        case sendBytes([UInt8])
        /// One byte at a time, a pause after each, until the gateway answers or ends.
        case trickle(String, pauseMilliseconds: Int32)
        /// The page, whole.
        case page
        /// A failure in the envelope.
        case refusal(Int, String)
        /// An interim answer.
        case interim(Int)
        /// The end, in order, and nothing before it.
        case end
        /// The end, whatever came before it, of which the client read nothing.
        case cut
        /// FIN.
        case finish
        /// RST.
        case reset
    }

    let name: String
    let steps: [Step]
    /// Whether the connection lives on.
    var isReused = false
    /// Bytes that the client's kernel takes of what it does not read.
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

    /// Short enough to be waited for.
    static func limits(_ configuration: inout GatewayServerConfiguration) {
        configuration.limits.requestBody = 1000
        // From accept on: a client that is to be in time may be kept waiting by a busy machine.
        configuration.inbound.headerDeadline = .milliseconds(500)
        configuration.inbound.bodyDeadline = .milliseconds(80)
        configuration.inbound.sendStall = .milliseconds(80)
    }
}
