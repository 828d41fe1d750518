import GatewayCore
import HTTPModel
import Networking

/// Lists and their items, as handlers call them.
enum ListAPI: TargetType {
    case list
    case tag(String)
    case create(String)

    var baseURL: String { "http://diary.test:9001/food-diary" }

    var path: RequestPath {
        switch self {
        case .list: "/list"
        case .tag(let name), .create(let name): "/tags/\(name)"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .list, .tag: .get
        case .create: .post
        }
    }

    var envelope: ResponseEnvelope { .genericResponse }
}

extension Bench {
    /// The client of `ListAPI`, which repeats no call.
    func lists() -> Provider<ListAPI> {
        var policy = CallPolicy()
        policy.retry = .never
        return gateway.provider(ListAPI.self, upstream: "diary", policy: policy)
    }
}
