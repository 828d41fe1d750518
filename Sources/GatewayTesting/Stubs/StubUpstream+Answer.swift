public import HTTPModel
public import JSONBytes

extension StubUpstream {
    /// What an upstream does with a request.
    public struct Answer: Sendable {
        enum Content: Sendable {
            case response(HTTPResponse)
            /// The response up to half of its body.
            case truncated(HTTPResponse)
            case hangs
            case resets
        }

        var content: Content
        var delay = Duration.zero

        /// Answers with JSON text, as `application/json` unless `fields` has another type.
        public static func json(_ body: String, status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields())
            -> Answer
        {
            var fields = fields
            if !fields.contains(.contentType) { fields.append(.contentType, "application/json") }
            return .response(HTTPResponse(status: status, fields: fields, body: [Array(body.utf8)[...]]))
        }

        /// Answers with JSON written as a literal: `.json(["unit": "kg"])`.
        @_disfavoredOverload
        public static func json(
            _ body: JSONLiteral, status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields()
        ) -> Answer {
            .json(body.description, status: status, fields: fields)
        }

        /// Answers with a status and no body.
        public static func status(_ status: HTTPStatus, fields: HTTPFields = HTTPFields()) -> Answer {
            .response(HTTPResponse(status: status, fields: fields))
        }

        /// Answers with `response`.
        public static func response(_ response: HTTPResponse) -> Answer {
            Answer(content: .response(response))
        }

        /// Accepts the request and never answers it: `connection_read_timeout`.
        public static let hangs = Answer(content: .hangs)
        /// Resets the connection instead of answering: `connection_terminated`.
        public static let resets = Answer(content: .resets)
        /// Sends half of a JSON body and closes the connection: `http_response_incomplete`.
        public static var truncates: Answer { .json(#"{"status":200,"data":{}}"#).truncated() }

        /// Returns this answer without the second half of its body.
        public func truncated() -> Answer {
            guard case .response(let response) = content else { return self }
            var answer = self
            answer.content = .truncated(response)
            return answer
        }

        /// Returns this answer, sent `delay` later.
        public func after(_ delay: Duration) -> Answer {
            var answer = self
            answer.delay = delay
            return answer
        }
    }

    /// Something wrong with a whole upstream (`StubUpstream.fault`).
    public struct Fault: Sendable, Hashable, CustomStringConvertible {
        /// The name of the fault.
        public let description: String

        /// Refuses connections, and closes those that are open: `connection_refused`.
        public static let refusesConnections = Fault(description: "refusesConnections")
        /// Accepts requests and answers none: `connection_read_timeout`.
        public static let hangs = Fault(description: "hangs")
        /// Resets the connection instead of answering: `connection_terminated`.
        public static let resets = Fault(description: "resets")
        /// Sends half of each body and closes the connection: `http_response_incomplete`.
        public static let truncates = Fault(description: "truncates")

        func applied(to answer: Answer) -> Answer {
            switch self {
            case .hangs: .hangs
            case .resets: .resets.after(answer.delay)
            case .truncates: answer.truncated()
            default: answer
            }
        }
    }
}

extension HTTPResponse {
    /// The number of bytes that a truncated response announces, and the number of its body's bytes that it
    /// sends.
    var truncatedBody: (announced: Int, sent: ArraySlice<UInt8>) {
        let bytes = Array(body.joined())
        return (max(bytes.count, 1), bytes.prefix(bytes.count / 2))
    }
}
