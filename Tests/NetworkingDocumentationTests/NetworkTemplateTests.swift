import Dispatch
import HTTPModel
import Locking
import Networking
import NetworkingSession
import Rx
import RxTesting
import TestSupport
import Testing

struct DailyPathRequest: Codable, Sendable {
    struct Point: Codable, Sendable {
        var time: String
        var latitude: Double
        var longitude: Double
    }

    var user: String
    var timeSequence: [Point]
}

struct DailyPath: Codable, Sendable { var distanceMeters: Int }
struct PieChart: Codable, Sendable { var shares: [String: Double] }

struct SummaryService: Sendable {
    let baseURL: String
    var token: String?
    var session = Session.shared

    func postDailyPath(_ path: DailyPathRequest) -> Observable<NetworkResult<DailyPath>> {
        var request = HTTPRequest(url: "\(baseURL)/daily/path")
            .setHttpMethod(.POST)
            .setHttpBody(path)
        if let token { request = request.setAuthToken(token) }
        return request.toDataTask(of: DailyPath.self, session: session)
    }

    func getPiechart(date: String) -> Observable<NetworkResult<PieChart>> {
        HTTPRequest(url: "\(baseURL)/piechart")
            .addQuery(["date": date])
            .toDataTask(of: PieChart.self, session: session)
    }
}

final class SummaryViewModel: Sendable {
    let piechart = PublishSubject<NetworkResult<PieChart>>()
    private let service: SummaryService
    private let disposeBag = DisposeBag()

    init(service: SummaryService) {
        self.service = service
    }

    func getPiechart(date: String) {
        service.getPiechart(date: date)
            .subscribe(onNext: { [piechart] in piechart.onNext($0) })
            .disposed(by: disposeBag)
    }
}

/// Contains the code of the article verbatim.
@Suite("A template for network calls")
struct NetworkTemplateTests {
    @Test("The service posts the path and reads the envelope of the response")
    func path() async throws {
        let served = try Served([
            "POST /daily/path": Served.json(
                #"{"status":200,"responseMsg":"ok","data":{"distanceMeters":1200}}"#)
        ])
        let service = SummaryService(baseURL: served.address, token: "t0")
        let path = DailyPathRequest(
            user: "u1",
            timeSequence: [.init(time: "2026-11-20T08:00:00Z", latitude: 37.5, longitude: 127)])
        let result = try await service.postDailyPath(path).asSingle().value
        #expect(result.value?.distanceMeters == 1200)
        let sent = try #require(served.upstream.requests.first)
        #expect(sent.hasPrefix("POST /daily/path HTTP/1.1\r\n"))
        #expect(sent.contains("Authorization: Bearer t0\r\n"))
        #expect(sent.contains("Content-Type: application/json\r\n"))
        #expect(sent.contains(#""user":"u1""#))
    }

    @Test(
        "Every response gives one outcome and completes the stream",
        arguments: [
            ("200 OK", #"{"status":200,"responseMsg":"ok","data":{"shares":{"home":0.5}}}"#, "success"),
            ("200 OK", #"{"status":200,"responseMsg":"no data"}"#, "pathErr"),
            ("404 Not Found", #"{"status":404,"responseMsg":"no such day"}"#, "requestErr"),
            ("501 Not Implemented", "", "serverErr"),
            ("200 OK", "<html>", "pathErr"),
        ])
    func outcomes(status: String, body: String, kind: String) async throws {
        let served = try Served(["GET /piechart?date=2026-11-20": Served.json(body, status)])
        let results = try await SummaryService(baseURL: served.address).getPiechart(date: "2026-11-20")
            .toArray().value
        #expect(results.map(\.kind.rawValue) == [kind])
    }

    @Test("Observers of the view model get each result")
    func viewModel() async throws {
        let served = try Served([
            "GET /piechart?date=2026-11-20": Served.json(
                #"{"status":404,"responseMsg":"no such day"}"#, "404 Not Found")
        ])
        let viewModel = SummaryViewModel(service: SummaryService(baseURL: served.address))
        let output = Output()
        let shown = Signal()
        let disposeBag = DisposeBag()
        let show: @Sendable (String) -> Void = { text in
            output.print(text)
            shown.fire()
        }
        viewModel.piechart
            .subscribe(onNext: { result in
                switch result {
                case .success(let chart): show("\(chart.shares.count) places")
                case .noContent: show("nothing on that day")
                case .requestErr(let error): show(error.upstreamMessage ?? error.message)
                case .pathErr, .serverErr, .networkFail: show("try again later")
                }
            })
            .disposed(by: disposeBag)
        viewModel.getPiechart(date: "2026-11-20")
        try await shown.wait()
        #expect(output.lines == ["no such day"])
    }
}
