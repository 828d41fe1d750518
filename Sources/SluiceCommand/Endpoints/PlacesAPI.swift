import ASCIIText
import GatewayCore
import HTTPModel
import JSONBytes
import Networking

/// The API that stores a user's path and summarizes it.
enum PlacesAPI {
    case addPath(DailyPath)
    case pieChart(CalendarDate)
}

/// A path: `{"user":"u1","timeSequence":[{"time":"2026-11-20T08:00:00Z","latitude":37.5,"longitude":127.0}]}`.
struct DailyPath: Codable, Sendable {
    struct Point: Codable, Sendable {
        /// RFC 3339.
        var time: String
        /// Degrees, -90 to 90.
        var latitude: Double
        /// Degrees, -180 to 180.
        var longitude: Double
    }

    var user: String
    var timeSequence: [Point]

    /// One point per minute of a day, in any order.
    static let mostPoints = 1440

    /// Throws for the first broken rule.
    func check() throws(GatewayError) {
        guard 1...64 ~= user.unicodeScalars.count else {
            throw .invalidRequest("In the body, user must have 1 to 64 characters")
        }
        guard 1...Self.mostPoints ~= timeSequence.count else {
            throw .invalidRequest("In the body, timeSequence must have 1 to \(Self.mostPoints) points")
        }
        for (place, point) in timeSequence.enumerated() {
            guard let rule = point.brokenRule else { continue }
            throw .invalidRequest("In the body, timeSequence[\(place)].\(rule)")
        }
    }
}

extension DailyPath.Point {
    fileprivate var brokenRule: String? {
        if InternetTime(time) == nil { return "time must be a time such as 2026-11-20T08:00:00Z" }
        if !(-90...90 ~= latitude) { return "latitude must be from -90 to 90" }
        if !(-180...180 ~= longitude) { return "longitude must be from -180 to 180" }
        return nil
    }
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
