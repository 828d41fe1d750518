import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import SampleUpstreams

/// The Korean weather agency's API for points on its grid.
enum WeatherAPI {
    /// The current observations.
    case nowCast(GridPoint)
    /// The forecast for three days or, with `convenience`, for the next six hours.
    case forecast(GridPoint, convenience: Bool, page: Int)

    /// Rows per page: five hours of the three days, or all of the six hours.
    static let pageSize = 60
}

extension WeatherAPI: TargetType {
    /// The address of `sluice upstream --port 8081`; `--upstream weather=URL` replaces it.
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

    /// The agency reports failures with a result code and HTTP status 200.
    var envelope: ResponseEnvelope { Self.agencyEnvelope }

    /// `{"response":{"header":{"resultCode":"00","resultMsg":"NORMAL_SERVICE"},"body":{...}}}`
    private static let agencyEnvelope = ResponseEnvelope.declared(
        status: "/response/header/resultCode",
        data: "/response/body",
        message: "/response/header/resultMsg", success: ["00"])
}
