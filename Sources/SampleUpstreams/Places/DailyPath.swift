internal import ASCIIText
public import Sluice

/// A path:
/// `{"user":"u1","timeSequence":[{"time":"2026-11-20T08:00:00Z","latitude":37.5,"longitude":127.0}]}`.
public struct DailyPath: Codable, Sendable {
    /// A place at a time.
    public struct Point: Codable, Sendable {
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
    public static let mostPoints = 1440

    /// Throws for the first broken rule.
    public func check() throws(GatewayError) {
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

    /// The points of a valid path, sorted by time.
    var points: [PathPoint] {
        timeSequence.compactMap { point in
            InternetTime(point.time).map {
                PathPoint(
                    at: $0, coordinate: Coordinate(latitude: point.latitude, longitude: point.longitude))
            }
        }.sorted { $0.at < $1.at }
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

struct PathPoint: Equatable, Sendable {
    let at: InternetTime
    let coordinate: Coordinate
}
