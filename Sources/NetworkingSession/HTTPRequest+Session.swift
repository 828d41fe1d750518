public import JSONBytes
public import Networking
public import Rx

extension Session: ReactiveCompatible {}

extension Session {
    /// Performs the call of `rx.request(_:)`. Cancelling the task cancels the call.
    public func request(_ request: HTTPRequest) async throws -> Response {
        try await client.request(request)
    }
}

extension Reactive where Base == Session {
    /// `RequestClient.rx.request(_:)` over this session.
    public func request(_ request: HTTPRequest, envelope: ResponseEnvelope = .none) -> Single<Response> {
        base.client.rx.request(request, envelope: envelope)
    }

    /// `RequestClient.rx.response(request:)` over this session.
    public func response(request: HTTPRequest) -> Observable<(response: Response, data: ArraySlice<UInt8>)> {
        base.client.rx.response(request: request)
    }

    /// `RequestClient.rx.data(request:)` over this session.
    public func data(request: HTTPRequest) -> Observable<ArraySlice<UInt8>> {
        base.client.rx.data(request: request)
    }

    /// `RequestClient.rx.json(request:)` over this session.
    public func json(request: HTTPRequest) -> Observable<JSONFragment> {
        base.client.rx.json(request: request)
    }
}

extension HTTPRequest {
    /// Performs the call of `toDataTask(of:by:envelope:)` over a session.
    public func toDataTask<Model: Decodable & Sendable>(
        of type: Model.Type, session: Session = .shared, envelope: ResponseEnvelope = .genericResponse
    ) -> Observable<NetworkResult<Model>> {
        toDataTask(of: type, by: session.client, envelope: envelope)
    }
}
