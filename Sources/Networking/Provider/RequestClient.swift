public import JSONBytes
public import Rx

/// The reactive client for requests without targets, each with its own URL (`URLSession` with RxCocoa's
/// `rx`).
///
///     let client = RequestClient(transport: transport)
///     client.rx.response(request: HTTPRequest(url: "http://weather.test/now?nx=60&ny=127"))
public final class RequestClient: ReactiveCompatible, Sendable {
    private let settings: ProviderSettings

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - name: name of the other side in logs and errors.
    ///   - transport: sends the calls.
    ///   - policy: retries, time limits and redirects.
    ///   - plugins: called in this order.
    ///   - interceptor: adapts requests and decides whether to send them again.
    ///   - cookies: stores the upstream's cookies and sends them back. Default nil: no cookies.
    public init(
        name: String = "upstream", transport: any Transport, policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil,
        cookies: CookieJar? = nil
    ) {
        settings = ProviderSettings(
            name: name, isNamed: false, upstream: nil, transport: transport, policy: policy, plugins: plugins,
            interceptor: interceptor, cookies: cookies, jitter: fullJitter)
    }

    /// Performs the call of `rx.request(_:)`. Cancelling the task cancels the call.
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
    /// Returns a cold call: each subscription sends it, and disposal cancels it. Succeeds with a response of
    /// any status that the request's `validation` accepts, by default every status. Fails with a
    /// `NetworkError`.
    ///
    /// - Parameter envelope: the envelope of the response, for operators that read its data.
    public func request(_ request: HTTPRequest, envelope: ResponseEnvelope = .none) -> Single<Response> {
        base.response(request, envelope)
    }

    /// Emits the response of any status with its body, then completes (RxCocoa's
    /// `URLSession.rx.response(request:)`).
    public func response(request: HTTPRequest) -> Observable<(response: Response, data: ArraySlice<UInt8>)> {
        self.request(request).asObservable().map { (response: $0, data: $0.data) }
    }

    /// Emits the body of a 2xx response; other statuses are errors (RxCocoa's
    /// `URLSession.rx.data(request:)`).
    public func data(request: HTTPRequest) -> Observable<ArraySlice<UInt8>> {
        self.request(request).asObservable().map { try $0.filterSuccessfulStatusCodes().data }
    }

    /// Emits the JSON of a 2xx response (RxCocoa's `URLSession.rx.json(request:)`).
    public func json(request: HTTPRequest) -> Observable<JSONFragment> {
        self.request(request).asObservable().map { try $0.filterSuccessfulStatusCodes().fragment() }
    }
}

extension HTTPRequest {
    /// Sends the request on subscription, emits exactly one outcome as a value, and completes. Disposal
    /// cancels it. (The `toDataTask()` of published examples.)
    ///
    /// - Parameters:
    ///   - type: the model of the data.
    ///   - client: makes the call.
    ///   - envelope: default `GenericResponse`.
    public func toDataTask<Model: Decodable & Sendable>(
        of type: Model.Type, by client: RequestClient, envelope: ResponseEnvelope = .genericResponse
    ) -> Observable<NetworkResult<Model>> {
        client.rx.request(self, envelope: envelope).map(type).asNetworkResult().asObservable()
    }
}
