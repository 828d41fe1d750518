public import HTTPModel
public import Rx

/// A call whose path and query are encoded already, for callers that assemble them from checked constants and
/// encoded values.
///
/// Public through the SPI `Encoded`, for our own modules only, as `CallEntry` is through `Records`.
@_spi(Encoded)
public struct EncodedRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The path, with the upstream's prefix, and the query, as `check` accepts them.
    public let target: [UInt8]
    /// Fields of this call. They replace the provider's fields of the same names.
    public let headers: HTTPFields
    /// JSON.
    public let body: [UInt8]?

    /// Creates a request from parts that are encoded already.
    public init(
        _ method: HTTPMethod, _ target: [UInt8], headers: HTTPFields, body: [UInt8]?
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The most bytes of a target.
    public static var longestTarget: Int { TargetRules.maximumLength }

    /// The fault of a target that is longer.
    public static var lengthFault: String { "the URL is longer than \(longestTarget) bytes" }

    /// Returns why a path, with or without a query, cannot be sent; nil if it can.
    ///
    /// - Parameter isConstant: whether the same path has been accepted before, so that only the length
    ///   depends on values.
    public static func check(_ target: [UInt8], isConstant: Bool = false) -> String? {
        guard target.count <= longestTarget else { return lengthFault }
        return isConstant ? nil : target.withUnsafeBytes { TargetRules.fault(inPath: $0) }
    }
}

@_spi(Encoded)
extension EncodedRequest: Hashable {
    /// Whether both send the same.
    public static func == (left: EncodedRequest, right: EncodedRequest) -> Bool {
        left.method == right.method && left.target == right.target && left.headers == right.headers
            && left.body == right.body
    }

    /// Hashes all but the names of the fields, which are the same for all requests of a call.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(target)
        headers.forEachNamed { hasher.combine($1) }
        hasher.combine(body)
    }
}

/// What all requests of one encoded call have in common.
@_spi(Encoded)
public final class EncodedRequestSettings: Sendable {
    let envelope: ResponseEnvelope
    let allowsEmptyBody: Bool
    let options: CallOptions?

    /// - Parameters:
    ///   - envelope: the envelope of the responses.
    ///   - allowsEmptyBody: whether an empty body is a valid response.
    ///   - timeout: the limit of the whole call; nil for the provider's.
    public init(envelope: ResponseEnvelope, allowsEmptyBody: Bool, timeout: Duration?) {
        self.envelope = envelope
        self.allowsEmptyBody = allowsEmptyBody
        options = CallOptions.makeIfNeeded(
            timeout: timeout, attemptLimits: nil, validation: .none, contentDecoding: .automatic)
    }
}

extension Provider {
    /// Returns the cold call of an encoded request to the configured upstream, as `rx.request(_:)` does for a
    /// target.
    @_spi(Encoded)
    public func single(_ request: EncodedRequest, _ shared: EncodedRequestSettings) -> Single<Response> {
        do {
            let call = try prepare(request, shared)
            if isPlain, call.options == nil { return .emitting(ResponseRun(call, settings)) }
            return settings.response(to: call)
        } catch {
            return .error(NetworkError(unbuilt: error, upstream: settings.name))
        }
    }

    private func prepare(
        _ request: EncodedRequest, _ shared: EncodedRequestSettings
    ) throws(RequestFault) -> TransportCall {
        try MethodRules.check(request.method, request.body.map { .bytes($0[...]) } ?? .none)
        let calls = try settings.calls(to: "")
        var fields: HTTPFields?
        let contentType = request.body == nil ? nil : "application/json"
        if contentType != nil || !request.headers.isEmpty {
            fields = try RequestBuilder.add(request.headers, contentType, to: calls.fields)
        }
        let context = CallContext.current
        return TransportCall(
            method: request.method, target: request.target[...],
            body: request.body.map { .bytes($0[...]) } ?? .none,
            own: CallFields.makeIfNeeded(fields, request.headers, in: context, shared: calls),
            context: context, envelope: shared.envelope, allowsEmptyBody: shared.allowsEmptyBody,
            settings: calls, options: shared.options)
    }
}
