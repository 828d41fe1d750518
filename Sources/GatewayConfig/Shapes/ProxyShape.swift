import ASCIIText
import EndpointPlans
import GatewayCore
import HTTPModel

/// An endpoint whose requests pass through to an upstream.
enum ProxyShape {
    static let proxy = Member(
        "proxy", .proxyPath,
        "The path of the requests. {NAME...} at its end is the rest of a path: /images/{path...}.")
    static let upstream = Member("upstream", .upstreamName, "The upstream that gets them.")
    static let at = Member(
        "at", ValueType<String>.upstreamPath,
        "The upstream's path, which the rest of the request's path follows. By default the root of its URL.")
    static let methods = Member(
        "methods", .list(of: ValueType<PlannedProxy.Method>.word.located, 1...5),
        default: "[\(PlannedProxy.Method.allCases.map(\.rawValue).joined(separator: ", "))]",
        "The methods that pass. GET passes HEAD too.")
    static let requestHeaders = Member(
        "requestHeaders", .passedHeaders(.passedRequestField),
        "Fields of the client that pass besides the standard ones, or what is added and removed.")
    static let responseHeaders = Member(
        "responseHeaders", .passedHeaders(.passedField),
        "Fields of the upstream that pass besides the standard ones, or what is added and removed.")
    static let bodyLimit = Member(
        "bodyLimit", .size("1B", "1GiB"),
        "The largest body. Without it, and without one in defaults, any size.")
    static let deadline = Member(
        "deadline", .time("1ms", "1h"), standard: GatewayLimits().deadline.inNanoseconds,
        "The time until the response begins, from the end of the request's body.")
    static let answer = Member(
        "answer", .passedAnswer(of: PassedAnswerShape.shape),
        "The form of failures that the gateway itself reports.")
    /// The `answer` in `defaults`, of which a proxy has the same member.
    static let commonAnswer = Member("answer", .passedAnswer(of: AnswerShape.shape), answer.description)

    static let shape: Shape = Shape(
        "a proxy", definition: "proxyEndpoint", required: [proxy.name, upstream.name],
        example: "{proxy: \"/images/{path...}\", upstream: images}",
        meant: [
            "timeout": deadline.name, "timeouts": deadline.name, "auth": EndpointShape.require.name,
        ], proxy, upstream, at,
        methods, requestHeaders, responseHeaders, bodyLimit, deadline, EndpointShape.forward,
        EndpointShape.credentials, EndpointShape.cookies, EndpointShape.require, EndpointShape.csrf,
        EndpointShape.rateLimits, EndpointShape.concurrency,
        EndpointShape.compression, EndpointShape.slow, answer)
}

/// Lists of fields that pass, where other endpoints list fields to add.
enum PassedHeadersShape {
    static func shape(_ name: ValueType<HTTPFieldName>) -> Shape {
        Shape(
            "a list of fields", definition: "passedHeaders", example: "{add: [X-Tenant], remove: [Accept]}",
            add(name), remove)
    }

    static func add(_ name: ValueType<HTTPFieldName>) -> Member<[Located<HTTPFieldName>]> {
        Member("add", .list(of: name.located, 0...100), "Fields that pass besides the standard ones.")
    }

    static let remove = Member(
        "remove", .list(of: ValueType<HTTPFieldName>.fieldName.located, 0...100),
        "Standard fields that do not pass.")
}

/// The `answer` of an endpoint that makes none itself.
enum PassedAnswerShape {
    static let shape: Shape = Shape("an answer", definition: "proxyAnswer", AnswerShape.envelope)
}

extension ValueType where Value == Located<PlannedAnswer.Envelope>? {
    static func passedAnswer(of shape: @escaping @autoclosure @Sendable () -> Shape) -> ValueType {
        .object(shape(), prefixes: true) { .some($0.located(AnswerShape.envelope)) }
    }
}

extension ValueType where Value == PassedHeaders {
    static func passedHeaders(_ name: ValueType<HTTPFieldName>) -> ValueType {
        .either(
            ValueType<[Located<HTTPFieldName>]>.list(of: name.located, 0...100).map {
                PassedHeaders(added: $0)
            },
            orMapping: .object(PassedHeadersShape.shape(name), prefixes: true) { values in
                let added = values.read(PassedHeadersShape.add(name)) ?? []
                let removed = values.read(PassedHeadersShape.remove) ?? []
                // Two variables may have different values.
                func isRead(_ name: Located<HTTPFieldName>) -> Bool {
                    !values.reader.unread.contains(name.place)
                }
                for name in removed.filter(isRead)
                where added.contains(where: { $0.value == name.value && isRead($0) }) {
                    values.reader.error("\(name.value) is in add and in remove", at: name.place)
                }
                return PassedHeaders(added: added, removed: removed)
            })
    }
}

extension ValueType where Value == HTTPFieldName {
    /// A field of a response that may pass.
    static let passedField = ValueType(.type("string"), unknown: "X") { (scalar) throws(ScalarFault) in
        guard let name = HTTPFieldName(scalar.text) else { throw .unfit("is not the name of a header field") }
        if let fault = FieldRules.fault(name, in: .passedResponse) { throw .rule(fault) }
        return name
    }
}

extension ValueType where Value == String {
    /// A place at an upstream, in the form of a URL's path.
    static let upstreamPath = ValueType(.type("string", [("pattern", .text("^/"))]), unknown: "/") {
        (scalar) throws(ScalarFault) in
        guard !scalar.text.utf8.contains(Byte.questionMark) else { throw .unfit("has a query") }
        if let reference = ReferenceText.first(in: scalar) {
            throw .rule("\(reference): the place at the upstream is constant")
        }
        guard !scalar.text.utf8.contains(Byte.openBrace) else {
            throw .rule("the place at the upstream is constant, so it has no {NAME}")
        }
        if let fault = CallPath.fault(PlannedText(constant: scalar.text)) { throw .unfit(fault) }
        return scalar.text
    }
}

/// Decodes an endpoint whose requests pass through.
struct ProxyDecoder {
    let values: ShapeValues
    let defaults: ShapeValues?

    /// Returns the endpoint; nil after a problem.
    func decode() -> PlannedProxy? {
        let (path, upstream) = (values.located(ProxyShape.proxy), values.located(ProxyShape.upstream))
        let noPath = Located(
            EndpointPath(text: "", segments: [], shown: "", isUnknown: true), at: values.place)
        // Without a path or an upstream, the other members are read for their problems.
        var proxy = PlannedProxy(
            path ?? noPath, to: upstream ?? Located("", at: values.place),
            at: values.place(of: ProxyShape.proxy) ?? values.place, start: values.place)
        proxy.upstreamPath = values.located(ProxyShape.at)
        proxy.methods = values.read(ProxyShape.methods).map(distinct)
        proxy.requestHeaders = values.read(ProxyShape.requestHeaders) ?? PassedHeaders()
        proxy.responseHeaders = values.read(ProxyShape.responseHeaders) ?? PassedHeaders()
        EndpointSettingsDecoder(values: values, defaults: defaults).decode(into: &proxy.settings)
        let common = defaults?.read(ProxyShape.commonAnswer) ?? nil
        if let upstream { CredentialCheck(values: values).run(proxy.settings, called: { [upstream.value] }) }
        proxy.$envelope = (values.read(ProxyShape.answer) ?? nil) ?? common
        return path == nil || upstream == nil ? nil : proxy
    }

    /// Reports methods that come twice, and leaves them out.
    private func distinct(_ methods: [Located<PlannedProxy.Method>]) -> [Located<PlannedProxy.Method>] {
        var known: Set<PlannedProxy.Method> = []
        return methods.filter { method in
            // Two variables may have different values.
            if values.reader.unread.contains(method.place) || known.insert(method.value).inserted {
                return true
            }
            values.reader.error("methods: \(method.value.rawValue) is listed twice", at: method.place)
            return false
        }
    }
}
