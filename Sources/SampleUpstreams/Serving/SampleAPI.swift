internal import HTTPModel

/// The routes of one sample upstream.
protocol SampleAPI: SendableMetatype {
    static var routes: [SampleRoute] { get }

    /// Returns the answer to an invalid request, in the API's envelope.
    static func answer(to refusal: Refusal) -> HTTPResponse
}

extension SampleAPI {
    static func answer(to refusal: Refusal) -> HTTPResponse {
        GenericResponse.failure(refusal.status, refusal.message)
    }
}

/// A method and a path, with the function that reads their requests.
struct SampleRoute: Sendable {
    private enum Segment: Sendable {
        case literal(String)
        /// One of these values, or any value if the list is empty.
        case value(oneOf: [String])

        func matches(_ text: String) -> Bool {
            switch self {
            case .literal(let literal): text == literal
            case .value(let allowed): allowed.isEmpty || allowed.contains(text)
            }
        }

        var isValue: Bool {
            if case .value = self { true } else { false }
        }
    }

    let method: HTTPMethod
    /// The largest body, in bytes.
    let bodyLimit: Int
    let read: @Sendable (SampleInput) throws(Refusal) -> SampleCall
    private let segments: [Segment]

    /// `{name}` in `path` matches any segment, `{am|pm}` either of the two. `read` validates a request.
    init(
        _ method: HTTPMethod, _ path: String, bodyLimit: Int = 16 * 1024,
        read: @escaping @Sendable (SampleInput) throws(Refusal) -> SampleCall
    ) {
        self.method = method
        self.bodyLimit = bodyLimit
        self.read = read
        segments = path.split(separator: "/").map { segment in
            guard segment.hasPrefix("{") else { return .literal(String(segment)) }
            let names = segment.dropFirst().dropLast().split(separator: "|").map(String.init)
            return .value(oneOf: names.count > 1 ? names : [])
        }
    }

    /// Returns the values in a path, in order; nil if the path does not match.
    func values(in path: [String]) -> [String]? {
        guard path.count == segments.count else { return nil }
        var values: [String] = []
        for (segment, text) in zip(segments, path) {
            guard segment.matches(text) else { return nil }
            if segment.isValue { values.append(text) }
        }
        return values
    }
}

/// How a valid request is answered.
enum SampleCall: Sendable {
    /// With this response, regardless of faults.
    case respond(HTTPResponse)
    /// With the result of a query, which runs off the loops and is subject to the fault of a switch.
    case query(FaultSwitch, @Sendable (SampleData) throws(SampleDataError) -> HTTPResponse)
}

/// Why a request is invalid.
struct Refusal: Error, Equatable {
    let status: HTTPStatus
    let message: String

    init(_ message: String, _ status: HTTPStatus = .badRequest) {
        self.status = status
        self.message = message
    }
}
