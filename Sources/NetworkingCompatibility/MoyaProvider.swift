public import Dispatch
public import Networking
public import NetworkingSession
public import Rx

/// Moya's name for `Provider`.
public typealias MoyaProvider = Provider

extension Provider {
    /// Creates a provider with Moya's name for `stub`.
    ///
    /// - Parameters:
    ///   - stubClosure: selects the calls to answer with their targets' samples:
    ///     `MoyaProvider.immediatelyStub`.
    ///   - session: sends the other calls. Default `Session.shared`.
    ///   - plugins: called in this order.
    public convenience init(
        stubClosure: @escaping StubClosure, session: Session = .shared, plugins: [any PluginType] = []
    ) {
        self.init(session: session, plugins: plugins, stub: stubClosure)
    }
}

extension Reactive {
    /// The call of `request(_:)`, with its result on a queue.
    ///
    /// - Parameters:
    ///   - target: the target.
    ///   - callbackQueue: where the result arrives; nil for the call's loop.
    public func request<Target: TargetType>(_ target: Target, callbackQueue: DispatchQueue?) -> Single<
        Response
    >
    where Base == Provider<Target> {
        guard let callbackQueue else { return request(target) }
        return request(target).observe(on: ConcurrentDispatchQueueScheduler(queue: callbackQueue))
    }

    /// The call of `requestWithProgress(_:)`, with its progress on a queue.
    ///
    /// - Parameters:
    ///   - target: the target.
    ///   - callbackQueue: where the progress arrives; nil for the call's loop.
    public func requestWithProgress<Target: TargetType>(
        _ target: Target, callbackQueue: DispatchQueue?
    ) -> Observable<ProgressResponse> where Base == Provider<Target> {
        guard let callbackQueue else { return requestWithProgress(target) }
        return requestWithProgress(target).observe(
            on: ConcurrentDispatchQueueScheduler(queue: callbackQueue))
    }
}
