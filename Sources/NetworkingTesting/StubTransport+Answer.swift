public import HTTPModel
public import Networking

extension StubTransport {
    /// A scripted answer.
    public struct Answer: Sendable {
        enum Content: Sendable {
            case sample(SampleResponse)
            case silence
            case blackHole
        }

        private let content: Content
        private let delay: Duration
        /// Called once, before the receiver: whether the answer is delivered.
        package var ended: (@Sendable (_ isDelivered: Bool) -> Void)?

        private init(content: Content, delay: Duration) {
            self.content = content
            self.delay = delay
        }

        /// Creates an answer from a target's sample.
        public init(_ sample: SampleResponse, after delay: Duration = .zero) {
            self.init(content: .sample(sample), delay: delay)
        }

        /// A response, delivered at once or after a delay.
        public static func response(
            _ status: Int, fields: HTTPFields = HTTPFields(), body: String = "", after delay: Duration = .zero
        ) -> Answer {
            Answer(.response(status, fields: fields, body: body.utf8), after: delay)
        }

        /// A response with a body of bytes.
        public static func response(
            _ response: TransportResponse, after delay: Duration = .zero
        ) -> Answer {
            Answer(.response(response), after: delay)
        }

        /// 200 with a JSON body.
        public static func json(_ body: String, after delay: Duration = .zero) -> Answer {
            Answer(.json(body), after: delay)
        }

        /// A failure without a complete response.
        public static func failure(
            _ reason: FailureReason, retryAfter: Duration? = nil, after delay: Duration = .zero
        ) -> Answer {
            Answer(
                .failure(TransportError(reason, "scripted failure", retryAfter: retryAfter)), after: delay)
        }

        /// Accepts the connection and sends nothing: fails with `connection_read_timeout` at the attempt's
        /// limit.
        public static let silence = Answer(content: .silence, delay: .zero)

        /// Accepts no connection: fails with `connection_timeout` at the attempt's limit.
        public static let blackHole = Answer(content: .blackHole, delay: .zero)

        /// Whether nothing is sent.
        var isSilent: Bool { if case .sample = content { false } else { true } }

        /// What an attempt with these limits gets, and when.
        func sample(within limits: AttemptLimits) -> (SampleResponse, after: Duration) {
            switch content {
            case .sample(let sample): (sample, delay)
            case .silence:
                (.failure(TransportError(.connectionReadTimeout, "the stub is silent")), limits.firstByte)
            case .blackHole:
                (.failure(TransportError(.connectionTimeout, "the stub does not connect")), limits.connect)
            }
        }
    }
}
