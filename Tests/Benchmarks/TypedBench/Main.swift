import FoundationEssentials
import GatewayCore
import GatewayHTTP
import Glibc
import HTTPModel
import JSONBytes
import Networking
import Rx

/// Serves charts by decoding two models and encoding one. `Tests/Benchmarks/typed` starts and measures it.
///
///     TypedBench PORT UPSTREAM-URL own|foundation|spliced
///
/// `own` uses the default coders and `foundation` Foundation's. `spliced` joins the upstream bytes without
/// coders.
@main
enum TypedBench {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let port = Int(arguments[1]), let coders = Coders(rawValue: arguments[3])
        else {
            print("usage: TypedBench PORT UPSTREAM-URL own|foundation|spliced")
            exit(2)
        }
        var configuration = GatewayServerConfiguration()
        configuration.port = port
        configuration.loops = 1
        configuration.upstreams = ["diary": UpstreamURLs(arguments[2])]
        exit(GatewayServer.run(configuration) { declare(on: $0, coders) })
    }

    private enum Coders: String { case own, foundation, spliced }

    private static func declare(on gateway: Gateway, _ coders: Coders) {
        let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
        let foundation = JSONDecoder()
        gateway.get("/api/weights/charts") { request in
            let date = try request.query("fddDate", as: CalendarDate.self)
            let recent = diary.rx.request(.weights(date, isRecent: true))
            let total = diary.rx.request(.weights(date, isRecent: false))
            switch coders {
            case .own:
                return .parts(
                    charts: Single.zip(recent.map(Chart.self), total.map(Chart.self)) {
                        Charts(recent: $0, total: $1)
                    })
            case .foundation:
                return .parts(
                    charts: Single.zip(
                        recent.map(Chart.self, using: foundation), total.map(Chart.self, using: foundation)
                    ) { FoundationCharts(charts: Charts(recent: $0, total: $1)) })
            case .spliced:
                return .parts(recent: recent.fragment(), total: total.fragment())
            }
        }
    }
}

private enum DiaryAPI: TargetType {
    case weights(CalendarDate, isRecent: Bool)

    // The UPSTREAM-URL argument replaces it.
    var baseURL: String { "http://127.0.0.1:9" }

    var path: RequestPath { "/food-diary/weights" }

    var task: RequestTask {
        switch self {
        case .weights(let date, let isRecent):
            .parameters(["fddDate": date, "keyword": isRecent ? "recent" : nil], encoding: .query)
        }
    }

    var envelope: ResponseEnvelope { .genericResponse }
}

private struct Chart: Codable, Sendable {
    struct Point: Codable, Sendable {
        let date: String
        let am: Double
        let pm: Double
    }

    let unit: String
    let points: [Point]
}

private struct Charts: Encodable, JSONRepresentable {
    let recent: Chart
    let total: Chart
}

/// Encodes with Foundation's encoder and the gateway's settings.
private struct FoundationCharts: JSONRepresentable {
    let charts: Charts

    func jsonFragment() throws -> JSONFragment {
        try JSONFragment(validating: ArraySlice(Self.encoder.encode(charts)))
    }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }()
}
