import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import Rx

/// The API that most tests call.
enum Diary: TargetType {
    case weights(String, keyword: String? = nil)
    case day(String)
    case put(String, weight: Double)
    case note(String)

    var baseURL: String { "http://diary.test:9001/food-diary" }

    var path: RequestPath {
        switch self {
        case .weights: "/weights"
        case .day(let day), .put(let day, _): "/weights/\(day)"
        case .note: "/notes"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .weights, .day: .get
        case .put: .put
        case .note: .post
        }
    }

    var task: RequestTask {
        switch self {
        case .weights(let date, let keyword):
            .parameters(["fddDate": date, "keyword": keyword], encoding: .query)
        case .day: .plain
        case .put(_, let weight): .json(["weight": weight])
        case .note(let text): .json(["text": text])
        }
    }

    var envelope: ResponseEnvelope { .genericResponse }
}

/// Collects the events of a subscription.
final class Probe<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var values: [Element] = []
        var error: (any Error)?
    }

    /// Separate from the probe to avoid a retain cycle: the probe's subscription retains this.
    private final class Record: Sendable {
        let state = Lock(State())
    }

    private let record = Record()
    private let bag = DisposeBag()

    var values: [Element] { record.state.withLock { $0.values } }
    var value: Element? { values.first }
    var error: (any Error)? { record.state.withLock { $0.error } }
    var networkError: NetworkError? { error as? NetworkError }
    var isPending: Bool { values.isEmpty && error == nil }

    init(_ single: Single<Element>) {
        let record = record
        single.subscribe(
            onSuccess: { value in record.state.withLock { $0.values.append(value) } },
            onFailure: { error in record.state.withLock { $0.error = error } }
        ).disposed(by: bag)
    }
}

/// A provider, its scripted transport and its clock.
struct Bench {
    let time: VirtualTime
    let transport: StubTransport
    let provider: Provider<Diary>

    /// By default, each wait takes its full jitter bound.
    init(
        policy: CallPolicy = CallPolicy(), plugins: [any PluginType] = [],
        jitter: @escaping Jitter = { $0 }
    ) throws {
        time = VirtualTime()
        transport = StubTransport(scheduler: time)
        provider = try Provider(
            upstream: "diary", transport: transport, policy: policy, plugins: plugins, jitter: jitter)
    }

    init(
        time: VirtualTime = VirtualTime(), policy: CallPolicy = CallPolicy(), plugins: [any PluginType] = [],
        interceptor: any RequestInterceptor
    ) {
        self.time = time
        transport = StubTransport(scheduler: time)
        provider = Provider(
            transport: transport, policy: policy, plugins: plugins, interceptor: interceptor, jitter: { $0 })
    }

    func start(_ target: Diary = .weights("2026-11-20")) -> Probe<Response> {
        Probe(provider.rx.request(target))
    }
}
