public import JSONBytes
public import Rx

extension ObservableType where Element == Response {
    /// Fails unless the status is a success, such as 204.
    public consuming func checkStatusCode() -> Observable<Response> {
        map { try $0.checkStatusCode() }
    }

    /// Fails unless the status is in `statusCodes`. From there on, the status counts as a success.
    public consuming func filter<Codes: Sequence<Int> & Sendable>(statusCodes: Codes) -> Observable<Response>
    {
        map { try $0.filter(statusCodes: statusCodes) }
    }

    /// Fails unless the status equals `statusCode`.
    public consuming func filter(statusCode: Int) -> Observable<Response> {
        map { try $0.filter(statusCode: statusCode) }
    }

    /// Fails unless the status is 2xx.
    public consuming func filterSuccessfulStatusCodes() -> Observable<Response> {
        map { try $0.filterSuccessfulStatusCodes() }
    }

    /// Fails unless the status is 2xx or 3xx.
    public consuming func filterSuccessfulStatusAndRedirectCodes() -> Observable<Response> {
        map { try $0.filterSuccessfulStatusAndRedirectCodes() }
    }

    /// Emits the data of a success as a slice of the received bytes; `null` if the response has no content.
    public consuming func fragment() -> Observable<JSONFragment> {
        map { try $0.fragment() }
    }

    /// Emits the value at `pointer` in a success's data, as a slice of the received bytes. Fails if its kind
    /// differs.
    public consuming func fragment(
        at pointer: JSONPointer, as kind: JSONFragment.Kind? = nil
    ) -> Observable<JSONFragment> {
        map { try $0.fragment(at: pointer, as: kind) }
    }

    /// Decodes the data of a success.
    public consuming func map<Model: Decodable & Sendable>(
        _ type: Model.Type, atKeyPath keyPath: String? = nil,
        using decoder: any ResponseDecoder = Response.decoder, failsOnEmptyData: Bool = true
    ) -> Observable<Model> {
        map {
            try $0.map(type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
        }
    }

    /// Decodes the data of a success; nil if the response has no content.
    public consuming func map<Model: Decodable & Sendable>(
        _ type: Model?.Type, atKeyPath keyPath: String? = nil,
        using decoder: any ResponseDecoder = Response.decoder
    ) -> Observable<Model?> {
        map { try $0.map(type, atKeyPath: keyPath, using: decoder) }
    }

    /// Emits the complete body as JSON, including its envelope.
    public consuming func mapJSON(failsOnEmptyData: Bool = true) -> Observable<JSONFragment> {
        map { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
    }

    /// Emits the complete body as text; with a key path, the JSON string at that path in the data.
    public consuming func mapString(atKeyPath keyPath: String? = nil) -> Observable<String> {
        map { try $0.mapString(atKeyPath: keyPath) }
    }

    /// Emits the outcome of a call to an API that uses `GenericResponse`, decoded. Fails if no response
    /// arrives.
    public consuming func judge<Payload: Decodable & Sendable>(
        _ type: Payload.Type, using decoder: any ResponseDecoder = Response.decoder
    ) -> Observable<NetworkResult<GenericResponse<Payload>>> {
        map { $0.judge(type, using: decoder) }
    }

    /// Fails unless the status is 2xx and the request accepts the body's media type.
    public consuming func validate() -> Observable<Response> {
        map { try $0.validate() }
    }

    /// Fails unless the status is in `statusCodes`.
    public consuming func validate<Codes: Sequence<Int> & Sendable>(statusCode codes: Codes) -> Observable<
        Response
    > {
        map { try $0.validate(statusCode: codes) }
    }

    /// Fails unless the body has one of these media types.
    public consuming func validate(contentType acceptable: [String]) -> Observable<Response> {
        map { try $0.validate(contentType: acceptable) }
    }
}
