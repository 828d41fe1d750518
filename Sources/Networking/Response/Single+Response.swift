public import HTTPModel
public import JSONBytes
public import Rx

/// `Response`'s own operators (Moya's), each on `Single` and `Observable`: what they throw ends the stream.
extension PrimitiveSequence where Trait == SingleTrait, Element == Response {
    /// Fails unless the status is a success; 204 is one.
    public consuming func checkStatusCode() -> Single<Response> {
        map { try $0.checkStatusCode() }
    }

    /// Fails unless the status is among `statusCodes`; what passes counts as a success from there on.
    public consuming func filter<Codes: Sequence<Int> & Sendable>(statusCodes: Codes) -> Single<Response> {
        map { try $0.filter(statusCodes: statusCodes) }
    }

    /// Fails unless the status is this one.
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

    /// The data of a success as the bytes it came in; `null` where the answer is that there is none.
    public consuming func fragment() -> Single<JSONFragment> {
        if let run = FragmentRun.instead(of: source) { return .emitting(run) }
        return map { try $0.fragment() }
    }

    /// What is at `pointer` in the data of a success, as the bytes it came in, and of the kind that is given.
    public consuming func fragment(
        at pointer: JSONPointer, as kind: JSONFragment.Kind? = nil
    ) -> Single<JSONFragment> {
        map { try $0.fragment(at: pointer, as: kind) }
    }

    /// The data of a success, decoded.
    public consuming func map<Model: Decodable & Sendable>(
        _ type: Model.Type, atKeyPath keyPath: String? = nil,
        using decoder: any ResponseDecoder = Response.decoder, failsOnEmptyData: Bool = true
    ) -> Single<Model> {
        map {
            try $0.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
        }
    }

    /// The data of a success, decoded; nil where the answer is that there is none.
    public consuming func map<Model: Decodable & Sendable>(
        _ type: Model?.Type, atKeyPath keyPath: String? = nil,
        using decoder: any ResponseDecoder = Response.decoder
    ) -> Single<Model?> {
        map { try $0.map(type, atKeyPath: keyPath, using: decoder) }
    }

    /// The whole body as JSON, its envelope too.
    public consuming func mapJSON(failsOnEmptyData: Bool = true) -> Single<JSONFragment> {
        map { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
    }

    /// The whole body as text; with a key path, the JSON string that stands there in the data.
    public consuming func mapString(atKeyPath keyPath: String? = nil) -> Single<String> {
        map { try $0.mapString(atKeyPath: keyPath) }
    }

    /// The outcome of a call whose upstream speaks GenericResponse, the envelope as a model in it. A failure of the network stays
    /// the stream's.
    public consuming func judge<Payload: Decodable & Sendable>(
        _ type: Payload.Type, using decoder: any ResponseDecoder = Response.decoder
    ) -> Single<NetworkResult<GenericResponse<Payload>>> {
        map { $0.judge(type, using: decoder) }
    }

    /// Fails unless the status is 2xx and the body of a type that the request accepts.
    public consuming func validate() -> Single<Response> {
        map { try $0.validate() }
    }

    /// Fails unless the status is among `statusCodes`.
    public consuming func validate<Codes: Sequence<Int> & Sendable>(statusCode codes: Codes) -> Single<
        Response
    > {
        map { try $0.validate(statusCode: codes) }
    }

    /// Fails unless the body is of one of these media types.
    public consuming func validate(contentType acceptable: [String]) -> Single<Response> {
        map { try $0.validate(contentType: acceptable) }
    }
}

extension PrimitiveSequence where Trait == SingleTrait, Element == JSONFragment {
    /// Whether it is one call and nothing else: awaited by a receiver, it notes itself under the receiver's number.
    package var isOneCall: Bool { source is FragmentRun }
}

extension Link {
    /// The call that this is the end of, where that brought data for a receiver by its first attempt, with status 200.
    @_spi(Records) public var plainCall: (upstream: Upstream, address: PeerAddress?)? {
        guard let run = self as? FragmentRun, run.isPlain else { return nil }
        return (run.call.upstream, run.address)
    }

    /// Identifies the upstream and the address of `plainCall`, without a reference to them.
    @_spi(Records) public var plainCallKey: PlainCallKey? {
        guard let run = self as? FragmentRun, run.isPlain else { return nil }
        return PlainCallKey(run.call.upstream, run.address)
    }

    /// Whether `plainCall` may have something.
    package var isOneCall: Bool { self is FragmentRun }
}

/// Identifies an upstream and an address, for as long as both objects exist.
@_spi(Records)
public struct PlainCallKey: Sendable, Equatable {
    // The objects' addresses: optional identifiers would take three times as long to compare.
    private let upstream: Int
    private let address: Int

    /// The key of no call.
    package static let none = PlainCallKey(upstream: 0, address: 0)

    private init(upstream: Int, address: Int) {
        self.upstream = upstream
        self.address = address
    }

    init(_ upstream: Upstream, _ address: PeerAddress?) {
        self.upstream = Int(bitPattern: ObjectIdentifier(upstream))
        self.address = address.map { Int(bitPattern: ObjectIdentifier($0)) } ?? 0
    }

    /// A number that differs for most keys.
    package var number: Int { upstream &>> 4 ^ address &>> 4 }
}
