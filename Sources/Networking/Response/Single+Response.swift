public import HTTPModel
public import JSONBytes
public import Rx

/// The operations of `Response` as Moya's operators on `Single` and `Observable`. Their errors end the
/// stream.
extension PrimitiveSequence where Trait == SingleTrait, Element == Response {
    /// Fails unless the status is a success, such as 204.
    public consuming func checkStatusCode() -> Single<Response> {
        map { try $0.checkStatusCode() }
    }

    /// Fails unless the status is in `statusCodes`. From there on, the status counts as a success.
    public consuming func filter<Codes: Sequence<Int> & Sendable>(statusCodes: Codes) -> Single<Response> {
        map { try $0.filter(statusCodes: statusCodes) }
    }

    /// Fails unless the status equals `statusCode`.
    public consuming func filter(statusCode: Int) -> Single<Response> {
        map { try $0.filter(statusCode: statusCode) }
    }

    /// Fails unless the status is 2xx.
    public consuming func filterSuccessfulStatusCodes() -> Single<Response> {
        map { try $0.filterSuccessfulStatusCodes() }
    }

    /// Fails unless the status is 2xx or 3xx.
    public consuming func filterSuccessfulStatusAndRedirectCodes() -> Single<Response> {
        map { try $0.filterSuccessfulStatusAndRedirectCodes() }
    }

    /// Emits the data of a success as a slice of the received bytes; `null` if the response has no content.
    public consuming func fragment() -> Single<JSONFragment> {
        if let run = FragmentRun.replacing(source) { return .emitting(run) }
        return map { try $0.fragment() }
    }

    /// Emits the value at `pointer` in a success's data, as a slice of the received bytes. Fails if its kind
    /// differs.
    public consuming func fragment(
        at pointer: JSONPointer, as kind: JSONFragment.Kind? = nil
    ) -> Single<JSONFragment> {
        if let run = FragmentRun.replacing(source, at: pointer, as: kind) { return .emitting(run) }
        return map { try $0.fragment(at: pointer, as: kind) }
    }

    /// Decodes the data of a success.
    public consuming func map<Model: Decodable & Sendable>(
        _ type: Model.Type, atKeyPath keyPath: String? = nil,
        using decoder: any ResponseDecoder = Response.decoder, failsOnEmptyData: Bool = true
    ) -> Single<Model> {
        map {
            try $0.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
        }
    }

    /// Decodes the data of a success; nil if the response has no content.
    public consuming func map<Model: Decodable & Sendable>(
        _ type: Model?.Type, atKeyPath keyPath: String? = nil,
        using decoder: any ResponseDecoder = Response.decoder
    ) -> Single<Model?> {
        map { try $0.map(type, atKeyPath: keyPath, using: decoder) }
    }

    /// Emits the complete body as JSON, including its envelope.
    public consuming func mapJSON(failsOnEmptyData: Bool = true) -> Single<JSONFragment> {
        map { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
    }

    /// Emits the complete body as text; with a key path, the JSON string at that path in the data.
    public consuming func mapString(atKeyPath keyPath: String? = nil) -> Single<String> {
        map { try $0.mapString(atKeyPath: keyPath) }
    }

    /// Emits the outcome of a call to an API that uses `GenericResponse`, decoded. Fails if no response
    /// arrives.
    public consuming func judge<Payload: Decodable & Sendable>(
        _ type: Payload.Type, using decoder: any ResponseDecoder = Response.decoder
    ) -> Single<NetworkResult<GenericResponse<Payload>>> {
        map { $0.judge(type, using: decoder) }
    }

    /// Fails unless the status is 2xx and the request accepts the body's media type.
    public consuming func validate() -> Single<Response> {
        map { try $0.validate() }
    }

    /// Fails unless the status is in `statusCodes`.
    public consuming func validate<Codes: Sequence<Int> & Sendable>(statusCode codes: Codes) -> Single<
        Response
    > {
        map { try $0.validate(statusCode: codes) }
    }

    /// Fails unless the body has one of these media types.
    public consuming func validate(contentType acceptable: [String]) -> Single<Response> {
        map { try $0.validate(contentType: acceptable) }
    }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == JSONFragment {
    /// Whether this is a single call followed by `fragment()`. A receiver that awaits it records it under its
    /// number.
    package var isOneCall: Bool { source is FragmentRun }

    /// What the call asks for; nil unless this is a single GET followed by `fragment()`.
    package var getKey: GetKey? { (source as? FragmentRun)?.key }

    /// Whether this is a single call, and would fail now with `circuit_open`.
    package func isCircuitOpen(for endpoint: Int) -> Bool {
        guard let run = source as? FragmentRun else { return false }
        return run.provider.transport.isCircuitOpen(of: run.call.upstream, for: endpoint)
    }
}

extension Link {
    /// The call that ends here, if its first attempt delivered data to a receiver with status 200.
    @_spi(Records) public var plainCall: PlainCall? {
        guard let run = self as? FragmentRun, run.isPlain else { return nil }
        return PlainCall(
            upstream: run.call.upstream, method: run.call.method, target: run.call.target,
            address: run.address, connection: run.connection)
    }

    /// Identifies the upstream and the address of `plainCall` without a retain.
    @_spi(Records) public var plainCallKey: PlainCallKey? {
        guard let run = self as? FragmentRun, run.isPlain else { return nil }
        return PlainCallKey(run.call.upstream, run.address)
    }

    /// Whether `plainCall` may be non-nil.
    package var isOneCall: Bool { self is FragmentRun }
}

/// A call that succeeded at its first attempt, with status 200.
@_spi(Records)
public struct PlainCall: Sendable {
    /// Whom it was made to.
    public let upstream: Upstream
    let method: HTTPMethod
    /// Path and query.
    package let target: ArraySlice<UInt8>
    /// The address of its connection, or of its proxy; nil for a transport without addresses.
    public let address: PeerAddress?
    /// What its attempt reached; nil for a transport without connections.
    public let connection: AttemptConnection?

    package var methodName: String { method.rawValue }
}

/// Identifies an upstream and an address. Valid while both objects exist.
@_spi(Records)
public struct PlainCallKey: Sendable, Equatable {
    // Object addresses, because comparing optional ObjectIdentifiers takes three times as long.
    private let upstream: Int
    private let address: Int

    package static let none = PlainCallKey(upstream: 0, address: 0)

    private init(upstream: Int, address: Int) {
        self.upstream = upstream
        self.address = address
    }

    init(_ upstream: Upstream, _ address: PeerAddress?) {
        self.upstream = Int(bitPattern: ObjectIdentifier(upstream))
        self.address = address.map { Int(bitPattern: ObjectIdentifier($0)) } ?? 0
    }

    /// A hash that differs for most keys.
    package var number: Int { upstream &>> 4 ^ address &>> 4 }
}
