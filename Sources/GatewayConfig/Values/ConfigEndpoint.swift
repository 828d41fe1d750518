package import HTTPModel

/// An endpoint: a method and a path, what it takes, and the parts of its answer.
package struct ConfigEndpoint: Sendable, ConfigEndpointSettings {
    package var method: HTTPMethod
    package var path: Located<ConfigPath>
    /// One for each parameter of the path, in its order. A parameter without declaration is a string.
    package var pathParameters: [ConfigParameter] = []
    package var query: [ConfigParameter] = []
    package var headers: [ConfigParameter] = []
    /// What a JSON body must be; nil for an endpoint that takes none.
    package var body: Located<ConfigSchema>?
    package var bodyLimit: Located<ByteCount>?
    /// Calls before the parts. A step starts once the one before it has succeeded.
    package var steps: [ConfigStep] = []
    package var content: ConfigContent
    package var deadline: Located<Nanoseconds>?
    /// Request fields that go to all upstreams called.
    package var forward: [Located<HTTPFieldName>] = []
    /// The upstreams that get `Authorization`.
    package var credentials: [Located<String>] = []
    /// The upstreams that get `Cookie`.
    package var cookies: [Located<String>] = []
    /// The most requests in flight.
    package var concurrency: Located<ConfigSwitch<Int>>?
    /// Whether answers may be compressed.
    package var compression: Located<Bool>?
    /// Whether the client sees the messages of the upstreams' error envelopes.
    package var revealsMessages: Located<Bool>?
    package var answer = ConfigAnswer()

    /// Where the endpoint is declared: its method.
    package var place: ConfigPlace
    /// Its first member.
    package var start: ConfigPlace
}

/// What `data` consists of.
package enum ConfigContent: Sendable {
    case parts([ConfigPart])
    /// One part is all of `data`.
    case data(ConfigPart)

    /// The parts at the top, with `data` as one.
    package var parts: [ConfigPart] {
        switch self {
        case .parts(let parts): parts
        case .data(let part): [part]
        }
    }
}

/// The path of an endpoint: `/api/weights/{date}`. Each segment is a literal, written decoded, or a parameter.
package struct ConfigPath: Sendable, Hashable {
    package enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter(String)
        /// All that follows, which may be empty.
        case rest(String)

        var parameter: String? {
            switch self {
            case .literal: nil
            case .parameter(let name), .rest(let name): name
            }
        }
    }

    package let text: String
    package let segments: [Segment]
    /// As the file has it, for messages.
    package let shown: String
    /// Whether it has a variable that is not read.
    let isUnknown: Bool

    package var parameters: [String] {
        segments.compactMap(\.parameter)
    }
}

/// How the answer looks.
package struct ConfigAnswer: Sendable {
    package enum Envelope: String, Sendable, CaseIterable {
        case sluice
        /// The body is `data`.
        case bare
    }

    /// What the failure of a required part means for the parts that have not ended.
    package enum OnFailure: String, Sendable, CaseIterable {
        case stop, wait
    }

    package var envelope: Located<Envelope>?
    /// The status of a success.
    package var status: Located<Int>?
    package var headers: [ConfigHeader] = []
    /// The field that says whether the answer is complete: `true` or `false`.
    package var completeHeader: Located<HTTPFieldName>?
    package var onFailure: Located<OnFailure>?
}

/// A header whose value may have references.
package struct ConfigHeader: Sendable {
    package var name: Located<HTTPFieldName>
    package var value: Located<ConfigTemplate>
}
