public import JSONBytes
public import Rx

/// The reactive client of requests without targets, to wherever each of them goes (`URLSession` with RxCocoa's `rx`).
///
///     let client = RequestClient(transport: transport)
///     client.rx.response(request: HTTPRequest(url: "http://weather.test/now?nx=60&ny=127"))
public final class RequestClient: ReactiveCompatible, Sendable {
    private let settings: ProviderSettings

    /// A client whose requests all go the same way; what it is given is as `Provider` has it.
    ///
    /// - Parameters:
    ///   - name: what logs and errors call the other side.
    ///   - transport: what sends.
    ///   - policy: retries, time limits, redirects.
    ///   - plugins: asked in order.
    ///   - interceptor: changes requests and decides on sending them again.
    ///   - cookies: keeps what upstreams set and sends it back. Default nil: cookies are neither kept nor sent.
    public init(
        name: String = "upstream", transport: any Transport, policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil,
        cookies: CookieJar? = nil
    ) {
        settings = ProviderSettings(
            name: name, isNamed: false, upstream: nil, transport: transport, policy: policy, plugins: plugins,
            interceptor: interceptor, cookies: cookies, jitter: fullJitter)
    }

    /// The call of `rx.request(_:)`, cancelled with the task.
    public func request(_ request: HTTPRequest) async throws -> Response {
        try await rx.request(request).value
    }

    fileprivate func response(_ request: HTTPRequest, _ envelope: ResponseEnvelope) -> Single<Response> {
        do {
            let origin = try request.origin()
            let calls = try settings.calls(to: origin)
            return settings.response(
                to: try request.call(calls, context: CallContext.current, envelope: envelope))
        } catch {
            return .error(NetworkError(unbuilt: error, upstream: settings.name))
        }
    }
}

extension Reactive where Base == RequestClient {
    /// The call: cold, sent anew for each subscription, cancelled with it. Succeeds with a response of any status that the
    /// request's `validation` takes, by default any at all; fails with a `NetworkError`.
    ///
    /// - Parameter envelope: what the answer's data stands in, for those who read it.
    public func request(_ request: HTTPRequest, envelope: ResponseEnvelope = .none) -> Single<Response> {
        base.response(request, envelope)
    }

    /// The response of any status and its body, then the end (RxCocoa's `URLSession.rx.response(request:)`).
    public func response(request: HTTPRequest) -> Observable<(response: Response, data: ArraySlice<UInt8>)> {
        self.request(request).asObservable().map { (response: $0, data: $0.data) }
    }

    /// The body of a 2xx; other statuses are errors (RxCocoa's `URLSession.rx.data(request:)`).
    public func data(request: HTTPRequest) -> Observable<ArraySlice<UInt8>> {
        self.request(request).asObservable().map { try $0.filterSuccessfulStatusCodes().data }
    }

    /// The JSON of a 2xx (RxCocoa's `URLSession.rx.json(request:)`).
    public func json(request: HTTPRequest) -> Observable<JSONFragment> {
        self.request(request).asObservable().map { try $0.filterSuccessfulStatusCodes().fragment() }
    }
}

extension HTTPRequest {
    /// The request as a task whose outcome is a value: sent when it is subscribed to, cancelled when that is disposed, and always
    /// ending, with one outcome (write-ups' `toDataTask()`).
    ///
    /// - Parameters:
    ///   - type: the model of the data.
    ///   - client: what makes the call.
    ///   - envelope: default `GenericResponse`.
    public func toDataTask<Model: Decodable & Sendable>(
        of type: Model.Type, by client: RequestClient, envelope: ResponseEnvelope = .genericResponse
    ) -> Observable<NetworkResult<Model>> {
        client.rx.request(self, envelope: envelope).map(type).asNetworkResult().asObservable()
    }
}
