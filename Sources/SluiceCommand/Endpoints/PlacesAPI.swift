import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import SampleUpstreams

/// The API that stores a user's path and summarizes it.
enum PlacesAPI {
    case addPath(DailyPath)
    case pieChart(CalendarDate)
}

extension PlacesAPI: TargetType {
    /// The address of `sluice upstream --port 8081`; `--upstream places=URL` replaces it.
    var baseURL: String { "http://127.0.0.1:8081/places" }

    var path: RequestPath {
        switch self {
        case .addPath: "/daily/path"
        case .pieChart: "/piechart"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .addPath: .post
        case .pieChart: .get
        }
    }

    var task: RequestTask {
        switch self {
        case .addPath(let path): .json(path)
        case .pieChart(let date): .parameters(["date": date], encoding: .query)
        }
    }

    var envelope: ResponseEnvelope { .genericResponse }
}
