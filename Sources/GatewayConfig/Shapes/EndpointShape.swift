import EndpointPlans
import GatewayCore
import HTTPModel

/// An endpoint of the format.
enum EndpointShape {
    static let methods: [(method: HTTPMethod, member: Member<EndpointPath>)] = [
        (.get, get), (.post, post), (.put, put), (.patch, patch), (.delete, delete),
    ]
    static let get = Member("get", .endpointPath, "The path of a GET: /api/weights/{date}.")
    static let post = Member("post", .endpointPath, "The path of a POST.")
    static let put = Member("put", .endpointPath, "The path of a PUT.")
    static let patch = Member("patch", .endpointPath, "The path of a PATCH.")
    static let delete = Member("delete", .endpointPath, "The path of a DELETE.")
    static let path = Member("path", .parameters(.path), "The parameters of the path, by name.")
    static let query = Member(
        "query", .parameters(.query),
        "The parameters of the query. Without a default they are required.")
    static let headers = Member(
        "headers", .parameters(.header), "The header fields that are read. They are not required.")
    static let body = Member("body", .schema, "What a JSON body must be.")
    static let bodyLimit = Member(
        "bodyLimit", .size("1B", "1GiB"), standard: GatewayLimits().requestBody, "The largest body.")
    static let first: Member<[PlannedPart]> = Member(
        "first", .steps,
        "Calls before the parts. Each is sent after the one before it has succeeded; if one fails, nothing more is sent."
    )
    static let parts: Member<[PlannedPart]> = Member("parts", .parts, "The parts of data, by name.")
    static let data: Member<PlannedPart> = Member("data", .part, "One part that is all of data.")
    static let deadline = Member(
        "deadline", .time("1ms", "1h"), standard: GatewayLimits().deadline.inNanoseconds,
        "The time for the answer, from the end of the request's body.")
    static let forward = Member(
        "forward", .list(of: ValueType<HTTPFieldName>.forwardedField.located, 0...100),
        "Request fields that go to all upstreams called.")
    static let credentials = Member(
        "credentials", .list(of: ValueType<String>.upstreamName.located, 0...1000),
        "The upstreams that get Authorization.")
    static let cookies = Member(
        "cookies", .list(of: ValueType<String>.upstreamName.located, 0...1000),
        "The upstreams that get Cookie.")
    static let require = Member(
        "require", ValueType<PlannedRequirement>.requirement, default: "none",
        "Who may call: an entry of auth, several, or a requirement.")
    static let csrf = Member(
        "csrf", .flag, default: "on",
        "Whether writes with cookies must come from the gateway's own pages or an origin of cors.")
    static let rateLimits = Member(
        "rateLimits", ValueType<[Located<String>]>.limitNames, default: "none",
        "The limits that a request must pass, all of them.")
    static let concurrency = Member(
        "concurrency", .switchable(.integer(1...1_000_000)), default: "off", "The most requests in flight.")
    static let compression = Member(
        "compression", .flag, default: "on", "Whether answers may be compressed.")
    static let slow = Member(
        "slow", .time("1ms", "1h"), standard: GatewayServerConfiguration().slow.inNanoseconds,
        "From when on a request is slow: its log line says on what it spent the time.")
    static let revealMessages = Member(
        "revealMessages", .bool, default: "false",
        "Whether the client sees the message of an upstream's error envelope.")
    static let answer = Member("answer", .answer, "How the answer looks.")

    static let shape: Shape = Shape(
        "an endpoint", definition: "endpoint",
        example: "{get: /me, parts: {user: {upstream: users, get: /me}}}",
        meant: [
            "timeout": deadline.name, "timeouts": deadline.name, "endpoint": get.name, "method": get.name,
            "backend": parts.name, "backends": parts.name, "input_headers": forward.name,
            "input_query_strings": query.name, "response": answer.name, "auth": require.name,
            "rateLimit": rateLimits.name,
        ],
        get, post, put, patch, delete, path, query, headers, body,
        bodyLimit,
        first, parts, data, deadline, forward, credentials, cookies, require, csrf, rateLimits, concurrency,
        compression,
        slow, revealMessages, answer)
}

/// The members of endpoints that `defaults` sets for all.
enum DefaultsShape {
    static let shape: Shape = Shape(
        "defaults", definition: "defaults",
        meant: [
            "timeout": EndpointShape.deadline.name, "timeouts": EndpointShape.deadline.name,
            "auth": EndpointShape.require.name,
        ],
        EndpointShape.deadline, EndpointShape.bodyLimit,
        EndpointShape.forward,
        EndpointShape.credentials, EndpointShape.require, EndpointShape.csrf, EndpointShape.rateLimits,
        EndpointShape.compression, EndpointShape.slow, EndpointShape.answer)
}

/// How the answer looks.
enum AnswerShape {
    static let envelope = Member(
        "envelope", ValueType<PlannedAnswer.Envelope>.word, default: "sluice",
        "sluice, or bare: the body is data, and failures are problem+json.")
    static let status = Member("status", .answerStatus, default: "200", "The status of a success.")
    static let headers = Member("headers", .headers(of: .answer), "Header fields of the answer.")
    static let completeHeader = Member(
        "completeHeader", .completeField, "A field that says whether the answer is complete: true or false.")
    static let onFailure = Member(
        "onFailure", ValueType<PlannedAnswer.OnFailure>.word, default: "stop",
        "stop: a required part that fails ends the answer at once. wait: the answer waits for all parts.")
    static let shape: Shape = Shape(
        "an answer", definition: "answer", envelope, status, headers, completeHeader, onFailure)

    static func decode(_ values: ShapeValues) -> PlannedAnswer {
        var answer = PlannedAnswer()
        answer.$envelope = values.located(envelope)
        answer.$status = values.located(status)
        answer.fields = values.read(headers) ?? []
        answer.$completeField = values.located(completeHeader)
        answer.$onFailure = values.located(onFailure)
        return answer
    }
}

extension ValueType where Value == PlannedAnswer {
    static let answer = ValueType.object(AnswerShape.shape, prefixes: true) { AnswerShape.decode($0) }
}

extension ValueType where Value == Int {
    static let answerStatus = ValueType(
        .scalar(.type("integer", [("minimum", .integer(200)), ("maximum", .integer(299))])), unknown: 200
    ) {
        (scalar) throws(ScalarFault) in
        guard case .integer(let text) = YAMLValue(scalar), let status = Int(text),
            (200...299).contains(status),
            // They have no body.
            status != 204, status != 205
        else { throw .unfit("is not the status of a success with a body: 200 to 299 but 204 and 205") }
        return status
    }
}

extension ValueType where Value == HTTPFieldName {
    /// A field of the client that goes to all upstreams with calls.
    static let forwardedField = ValueType(.type("string"), unknown: "X") { (scalar) throws(ScalarFault) in
        let name = try clientsField(scalar)
        if name.describesBody {
            throw .rule("\(name) describes the client's body, and calls have bodies of their own")
        }
        return name
    }

    /// A field of the client that passes with its body.
    static let passedRequestField = ValueType(.type("string"), unknown: "X") { (scalar) throws(ScalarFault) in
        try clientsField(scalar)
    }

    private static func clientsField(_ scalar: YAMLScalar) throws(ScalarFault) -> HTTPFieldName {
        let name = try name(scalar)
        if name == .authorization { throw .rule("credentials names the upstreams that get Authorization") }
        if name == .cookie { throw .rule("cookies names the upstreams that get Cookie") }
        if ClientForwarding.isField(name) {
            throw .rule("a client can forge \(name); clients.forward tells upstreams who the client is")
        }
        if TransportFields.areInRequest(name) { throw .rule("\(name) is set by the gateway alone") }
        return name
    }
}

extension ValueType where Value == HTTPFieldName {
    /// A field without a meaning of its own, so that `true` and `false` say nothing else.
    static let completeField = ValueType(fieldNameTree, unknown: "X") { (scalar) throws(ScalarFault) in
        let name = try name(scalar)
        guard FieldRules.fault(name, in: .passedResponse) == nil else {
            throw .unfit("is set by the gateway alone")
        }
        guard !FieldsWithMeaning.contains(name) else {
            throw .unfit("has a meaning of its own; take a name such as X-Complete")
        }
        return name
    }
}

extension ValueType where Value == PlannedPart {
    /// Described here, and read by `EndpointDecoder`.
    static let part: ValueType<PlannedPart> = ValueType<PlannedPart> { definitions in
        definitions.reference(PartShape.shape)
    } read: { _, _, _ in
        nil
    }.withShape { PartShape.shape }
}
