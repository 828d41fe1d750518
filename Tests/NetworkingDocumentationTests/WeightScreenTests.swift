import Dispatch
import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

enum FoodDiaryAPI: TargetType {
    case searchFoodDiaryWeightList(fddDate: String, keyword: String?)
    case weight(fddDate: String)

    var baseURL: String { "http://diary.test/food-diary" }
    var path: RequestPath {
        switch self {
        case .searchFoodDiaryWeightList: "/weights"
        case .weight(let fddDate): "/weights/\(fddDate)"
        }
    }
    var task: RequestTask {
        switch self {
        case .searchFoodDiaryWeightList(let fddDate, let keyword):
            .parameters(["fddDate": fddDate, "keyword": keyword], encoding: .query)
        case .weight: .plain
        }
    }
    var envelope: ResponseEnvelope { .genericResponse }
}

struct WeightChart: Decodable, Sendable { var points: [Double] }
struct DayWeight: Decodable, Sendable { var am: Double?, pm: Double? }

final class WeightViewModel: Sendable {
    typealias Charts = (recent: NetworkResult<WeightChart>, total: NetworkResult<WeightChart>)

    let chartData = PublishRelay<String>()
    let isLoading = BehaviorRelay(value: false)
    let chartResults = PublishRelay<Charts>()
    private let bag = DisposeBag()

    init(provider: Provider<FoodDiaryAPI>) {
        let chart: @Sendable (String, String?) -> Observable<NetworkResult<WeightChart>> = { date, keyword in
            provider.rx.request(.searchFoodDiaryWeightList(fddDate: date, keyword: keyword))
                .checkStatusCode()
                .map(WeightChart.self)
                .asNetworkResult()
                .asObservable()
        }
        chartData
            .do(onNext: { [isLoading] _ in isLoading.accept(true) })
            .flatMapLatest { date in
                Observable.combineLatest(chart(date, "recent"), chart(date, nil)) {
                    Charts(recent: $0, total: $1)
                }
            }
            .do(onNext: { [isLoading] _ in isLoading.accept(false) })
            .bind(to: chartResults)
            .disposed(by: bag)
    }
}

/// Contains the code of the article verbatim.
@Suite("The weight screen", .noLeaks)
struct WeightScreenTests {
    private let time = ManualScheduler()

    private func provider(_ answer: @escaping @Sendable (TransportCall) -> StubTransport.Answer) -> (
        Provider<FoodDiaryAPI>, StubTransport, ErrorRecorder
    ) {
        let transport = StubTransport(scheduler: time)
        transport.answer(by: answer)
        var policy = CallPolicy()
        policy.attemptLimits.firstByte = .seconds(10)  // of each attempt, as the provider's timeout was
        policy.totalTimeout = .seconds(30)
        policy.retry.maxAttempts = 3
        let recorder = ErrorRecorder()
        let provider = Provider<FoodDiaryAPI>(transport: transport, policy: policy, plugins: [recorder])
        return (provider, transport, recorder)
    }

    @Test("Both charts arrive together, each with its own outcome, and isLoading is set and reset")
    func charts() throws {
        let (provider, transport, recorder) = provider { call in
            call.query?.contains("keyword=recent") == true
                ? .json(#"{"status":200,"data":{"points":[72.4,73.2]}}"#, after: .seconds(1))
                : .json(#"{"status":200,"data":{"lines":[]}}"#, after: .seconds(2))
        }
        let model = WeightViewModel(provider: provider)
        let seen = Seen(model.chartResults)
        let loading = Seen(model.isLoading)
        model.chartData.accept("2026-11-20")
        #expect(
            transport.attempts.compactMap(\.call.query) == [
                "fddDate=2026-11-20&keyword=recent", "fddDate=2026-11-20",
            ])
        time.advance(by: .seconds(2))
        let charts = try #require(seen.values.first)
        #expect(charts.recent.value?.points == [72.4, 73.2])
        #expect(charts.total.kind == .pathErr)
        #expect(recorder.counts == [.pathErr: 1])
        #expect(loading.values == [false, true, false])
    }

    @Test("A new date cancels the calls for the previous date")
    func latest() {
        let (provider, transport, _) = provider { _ in .response(204, after: .seconds(1)) }
        let model = WeightViewModel(provider: provider)
        let seen = Seen(model.chartResults)
        model.chartData.accept("2026-11-19")
        model.chartData.accept("2026-11-20")
        time.advance(by: .seconds(1))
        #expect(transport.attempts.map(\.isCancelled) == [true, true, false, false])
        #expect(seen.values.map(\.recent.kind) == [.noContent])
    }

    @Test("The screen's three calls are combined into one")
    func opening() async throws {
        let (provider, _, _) = provider { call in
            call.path.hasSuffix("/weights")
                ? .json(#"{"status":200,"data":{"points":[]}}"#) : .response(204)
        }
        let date = "2026-11-20"
        let screen = Single.zip(
            provider.rx.request(.searchFoodDiaryWeightList(fddDate: date, keyword: "recent"))
                .map(WeightChart.self),
            provider.rx.request(.searchFoodDiaryWeightList(fddDate: date, keyword: nil))
                .map(WeightChart.self),
            provider.rx.request(.weight(fddDate: date)).map(DayWeight?.self)
        ) { (recent: $0, total: $1, today: $2) }
        let answer = try await screen.value
        #expect(answer.today == nil)
        #expect(answer.recent.points.isEmpty)
    }

    @Test("A failing status is not retried, but a lost connection is")
    func attempts() {
        for (answer, attempts) in [
            (StubTransport.Answer.response(400), 1), (.failure(.connectionTerminated), 3),
        ] {
            let (provider, transport, _) = provider { _ in answer }
            let seen = Seen(provider.rx.request(.weight(fddDate: "2026-11-20")).checkStatusCode())
            time.advance(by: .seconds(5))
            #expect(seen.error is NetworkError)
            #expect(transport.attempts.count == attempts)
        }
    }
}
