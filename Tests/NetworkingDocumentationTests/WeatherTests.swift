import Dispatch
import HTTPModel
import Locking
import Networking
import NetworkingCompatibility
import NetworkingSession
import NetworkingTesting
import Rx
import RxTesting
import Testing

enum WeatherAPI: TargetType {
    case nowCast(nx: Int, ny: Int)
    case forecast(nx: Int, ny: Int, page: Int)

    var baseURL: String { "http://weather.test" }
    var path: RequestPath {
        switch self {
        case .nowCast: "/getUltraSrtNcst"
        case .forecast: "/getVilageFcst"
        }
    }
    var task: RequestTask {
        switch self {
        case .nowCast(let nx, let ny): .parameters(["nx": nx, "ny": ny], encoding: .query)
        case .forecast(let nx, let ny, let page):
            .parameters(["nx": nx, "ny": ny, "pageNo": page], encoding: .query)
        }
    }
    var envelope: ResponseEnvelope { .weatherAgency }
}

struct Weather: Decodable, Sendable {
    struct Items: Decodable, Sendable { var item: [Item] }
    struct Item: Decodable, Sendable { var category: String, obsrValue: String? }

    var items: Items
    static let none = Weather(items: Items(item: []))
}

/// Contains the code of the article verbatim.
@Suite("Weather, step by step")
struct WeatherTests {
    private let body =
        #"{"response":{"header":{"resultCode":"00","resultMsg":"OK"},"#
        + #""body":{"items":{"item":[{"category":"T1H","obsrValue":"7.4"}]}}}}"#

    func dataFetch(
        _ weather: Provider<WeatherAPI>, nx: Int, ny: Int
    ) -> Single<Result<[Weather], SessionError>> {
        Single.zip([
            weather.rx.request(.nowCast(nx: nx, ny: ny)).map(Weather.self),
            weather.rx.request(.forecast(nx: nx, ny: ny, page: 1)).map(Weather.self),
        ])
        .asResult(catching: NetworkError.self)
        .map { $0.mapError(\.sessionError) }
    }

    private func outcome(_ answer: StubTransport.Answer) throws -> Result<[Weather], SessionError> {
        let scripted = Scripted(answer)
        let seen = Seen(dataFetch(Provider<WeatherAPI>(transport: scripted.transport), nx: 60, ny: 127))
        scripted.time.advance(by: .seconds(1))
        return try #require(seen.values.first)
    }

    @Test("Both responses are combined into one result, and each failing step has its own error")
    func steps() throws {
        let output = Output()
        let print: (String) -> Void = { output.print($0) }
        let answers: [StubTransport.Answer] = [
            .json(body), .failure(.connectionRefused), .response(503), .json("<html>"),
            .json(#"{"response":{"header":{"resultCode":"04","resultMsg":"HTTP_ERROR"}}}"#), .response(204),
        ]
        for answer in answers {
            let result = try outcome(answer)
            switch result {
            case .success(let weather): print("\(weather.count) answers")
            case .failure(.invalidURL): print("invalidURL")
            case .failure(.transportError): print("transportError")
            case .failure(.serverError(let code)): print("serverError \(code)")
            case .failure(.missingData): print("missingData")
            case .failure(.decodingError(let error)): print("decodingError \(type(of: error))")
            }
        }
        #expect(
            output.lines == [
                "2 answers", "transportError", "serverError 503", "decodingError JSONError",
                "serverError 4", "missingData",
            ])
    }

    @Test("A request with an invalid URL fails with invalidURL, and nothing is sent")
    func invalidURL() throws {
        let scripted = Scripted(.json("{}"))
        let client = RequestClient(transport: scripted.transport)
        let seen = Seen(client.rx.request(HTTPRequest(url: "weather")))
        guard case .invalidURL? = (seen.error as? NetworkError)?.sessionError else {
            Issue.record("\(String(describing: seen.error))")
            return
        }
        #expect(scripted.transport.attempts.isEmpty)
    }

    @Test("An unreadable response is replaced by a default value, and the request is logged as a curl line")
    func standIn() async throws {
        let address = try Served(["GET /now?nx=60&ny=127": Served.json("<html>")]).address
        let output = Output()
        let print: @Sendable (String) -> Void = { output.print($0) }
        var configuration = Session.Configuration()
        configuration.plugins = [NetworkLogger(.requests) { print($0) }]
        let session = try Session(configuration)

        let request = HTTPRequest(url: "\(address)/now").addQuery(["nx": 60, "ny": 127])
        let weather = session.rx.response(request: request)
            .map { response, _ in try response.filterSuccessfulStatusCodes().map(Weather.self) }
            .catchAndReturn(.none)
        defer { session.close() }
        #expect(try await weather.asSingle().value.items.item.isEmpty)
        #expect(output.text.hasPrefix("curl --globoff '\(address)/now?nx=60&ny=127' -H 'Accept: "))
    }
}
