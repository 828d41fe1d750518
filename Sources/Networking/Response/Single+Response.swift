public import FoundationEssentials
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

    public consuming func filter(statusCode: Int) -> Single<Response> {
        map { try $0.filter(statusCode: statusCode) }
    }

    public consuming func filterSuccessfulStatusCodes() -> Single<Response> {
        map { try $0.filterSuccessfulStatusCodes() }
    }

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
        _ type: Model.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = Response.decoder
    ) -> Single<Model> {
        map { try $0.map(type, atKeyPath: keyPath, using: decoder) }
    }

    /// The data of a success, decoded; nil where the answer is that there is none.
    public consuming func map<Model: Decodable & Sendable>(
        _ type: Model?.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = Response.decoder
    ) -> Single<Model?> {
        map { try $0.map(type, atKeyPath: keyPath, using: decoder) }
    }

    public consuming func mapString(atKeyPath keyPath: String? = nil) -> Single<String> {
        map { try $0.mapString(atKeyPath: keyPath) }
    }
}
