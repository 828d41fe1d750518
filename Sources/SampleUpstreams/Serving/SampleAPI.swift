internal import HTTPModel

/// One of the sample upstreams: the paths that it has, and what each is answered.
protocol SampleAPI: SendableMetatype {
    static var routes: [SampleRoute] { get }

    /// What a refused request is answered, in the envelope that the API speaks.
    static func answer(to refusal: Refusal) -> HTTPResponse
}

extension SampleAPI {
    static func answer(to refusal: Refusal) -> HTTPResponse {
        GenericResponse.failure(refusal.status, refusal.message)
    }
}

/// A path and a method, and how a request for them is read.
struct SampleRoute: Sendable {
    /// A segment of a path.
    private enum Segment: Sendable {
        case literal(String)
        /// Any value, or one of these.
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
    /// The most bytes of a body.
    let bodyLimit: Int
    let read: @Sendable (SampleInput) throws(Refusal) -> SampleCall
    private let segments: [Segment]

    /// - Parameters:
    ///   - path: `{name}` stands for any segment, `{am|pm}` for one of these.
    ///   - bodyLimit: default 16 KiB.
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

    /// The values in a path, in order; nil where it is another one.
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

/// What a valid request comes to.
enum SampleCall: Sendable {
    /// The answer is known, and no fault keeps it back.
    case known(HTTPResponse)
    /// The data is asked, off the loops, in the way that the fault of the switch has it.
    case asking(FaultSwitch, @Sendable (SampleData) throws(SampleDataError) -> HTTPResponse)
}

/// What is wrong with a request.
struct Refusal: Error, Equatable {
    let status: HTTPStatus
    let message: String

    init(_ message: String, _ status: HTTPStatus = .badRequest) {
        self.status = status
        self.message = message
    }
}
