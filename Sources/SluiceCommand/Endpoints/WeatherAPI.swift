import GatewayCore
import HTTPModel
import JSONBytes
import Networking

/// The Korean weather agency's API of points on its grid, as the gateway's endpoints call it.
enum WeatherAPI {
    /// What is measured now.
    case nowCast(GridPoint)
    /// What is to come: three days, or the six hours that are convenient to show at a glance.
    case forecast(GridPoint, convenience: Bool, page: Int)

    /// Rows of a page: five hours of the three days, or all of the six hours.
    static let pageSize = 60
}

/// A cell of the agency's grid of 5 km.
struct GridPoint {
    /// Eastward.
    var nx: Int
    /// Northward.
    var ny: Int

    static let columns = 1...149
    static let rows = 1...253
    static let seoul = GridPoint(nx: 60, ny: 127)
}

extension WeatherAPI: TargetType {
    /// Where `sluice upstream --port 8081` has it; `--upstream weather=URL` says another place.
    var baseURL: String { "http://127.0.0.1:8081/weather" }

    var path: RequestPath {
        switch self {
        case .nowCast: "/getUltraSrtNcst"
        case .forecast(_, convenience: true, _): "/getUltraSrtFcst"
        case .forecast(_, convenience: false, _): "/getVilageFcst"
        }
    }

    var task: RequestTask {
        switch self {
        case .nowCast(let point):
            .parameters(["dataType": "JSON", "nx": point.nx, "ny": point.ny], encoding: .query)
        case .forecast(let point, _, let page):
            .parameters(
                [
                    "dataType": "JSON", "nx": point.nx, "ny": point.ny, "pageNo": page,
                    "numOfRows": Self.pageSize,
                ], encoding: .query)
        }
    }

    /// A failure is a result code under HTTP 200.
    var envelope: ResponseEnvelope { Self.agencyEnvelope }

    /// `{"response":{"header":{"resultCode":"00","resultMsg":"NORMAL_SERVICE"},"body":{...}}}`
    private static let agencyEnvelope = ResponseEnvelope.declared(
        status: "/response/header/resultCode",
        data: "/response/body",
        message: "/response/header/resultMsg", success: ["00"])
}
