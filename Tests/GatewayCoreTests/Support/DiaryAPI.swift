import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting

/// The upstream that most tests call.
enum DiaryAPI: TargetType {
    case recent
    case total
    case today
    case put(CalendarDate, Double)
    case user(String)
    /// Sends an `Authorization` of its own.
    case authorized

    var baseURL: String { "http://diary.test:9001/food-diary" }

    var path: RequestPath {
        switch self {
        case .recent: "/recent"
        case .total: "/total"
        case .today: "/today"
        case .put(let date, _): "/weights/\(date)"
        case .user(let name): "/users/\(name)"
        case .authorized: "/authorized"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .recent, .total, .today, .user, .authorized: .get
        case .put: .put
        }
    }

    var task: RequestTask {
        switch self {
        case .recent, .total, .today, .user, .authorized: .plain
        case .put(_, let weight): .json(["weight": weight])
        }
    }

    var headers: HTTPFields {
        if case .authorized = self { [.authorization: "Basic b3du"] } else { [:] }
    }

    var envelope: ResponseEnvelope { .genericResponse }
}

/// A target with a computed address.
struct ComputedAPI: TargetType {
    var baseURL: String
    var path: RequestPath { "/" }
}

extension StubTransport.Answer {
    /// A GenericResponse with this data.
    static func data(_ json: String, after delay: Duration = .zero) -> StubTransport.Answer {
        .json(#"{"code":"OK","message":"ok","status":200,"data":\#(json)}"#, after: delay)
    }
}
