import GatewayCore
import HTTPModel
import JSONBytes
import Networking

enum DiaryAPI {
    /// Weights up to a date: the last seven days, or the monthly means of the last year.
    case weights(CalendarDate, Span)
    /// The morning and evening weight of one day.
    case day(CalendarDate)
    /// The fields are the client's conditions, which the diary checks.
    case register(CalendarDate, Half, WeightEntry, HTTPFields)
    case delete(CalendarDate, Half, HTTPFields)

    enum Span { case recent, total }

    enum Half: String, CaseIterable, RequestValue { case am, pm }
}

/// The body of a request that registers a weight, both the client's and the upstream's.
struct WeightEntry: Codable, Sendable {
    /// Kilograms, 20 to 300; the upstream checks the range.
    var weight: Double
}

extension DiaryAPI: TargetType {
    /// The address of `sluice upstream --port 8081`; `--upstream diary=URL` replaces it.
    var baseURL: String { "http://127.0.0.1:8081" }

    var path: RequestPath {
        switch self {
        case .weights: "/food-diary/weights"
        case .day(let date): "/food-diary/weights/\(date)"
        case .register(let date, let half, _, _), .delete(let date, let half, _):
            "/food-diary/weights/\(date)/\(half.rawValue)"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .weights, .day: .get
        case .register: .put
        case .delete: .delete
        }
    }

    var headers: HTTPFields {
        switch self {
        case .weights, .day: HTTPFields()
        case .register(_, _, _, let conditions), .delete(_, _, let conditions): conditions
        }
    }

    var task: RequestTask {
        switch self {
        case .weights(let date, .recent):
            .parameters(["fddDate": date, "keyword": "recent"], encoding: .query)
        case .weights(let date, .total): .parameters(["fddDate": date], encoding: .query)
        case .register(_, _, let entry, _): .json(entry)
        case .day, .delete: .plain
        }
    }

    var envelope: ResponseEnvelope { .genericResponse }
}
