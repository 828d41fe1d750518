internal import ASCIIText
internal import JSONBytes

struct PathPoint: Equatable, Sendable {
    let at: InternetTime
    let coordinate: Coordinate
}

/// The path of a user, as posted by a client: `{"user":"u1","timeSequence":[{"time":"2026-11-20T08:00:00Z","latitude":37.5,"longitude":127.0}]}`.
struct DailyPath: Equatable, Sendable {
    let user: String
    /// Sorted by time; not empty.
    let points: [PathPoint]

    /// The longest user name, in characters.
    static let maximumUserLength = 64
    /// One a minute for a day.
    static let maximumPoints = 1440

    init(_ document: JSONFragment) throws(Refusal) {
        guard document.kind == .object else { throw Refusal("the body must be a JSON object") }
        guard let user = document[member: "user"]?.stringValue,
            1...Self.maximumUserLength ~= user.unicodeScalars.count
        else {
            throw Refusal("user must be a string of 1 to \(Self.maximumUserLength) characters")
        }
        guard let sequence = document[member: "timeSequence"], sequence.kind == .array else {
            throw Refusal("timeSequence must be an array")
        }
        let elements = sequence.elements
        guard 1...Self.maximumPoints ~= elements.count else {
            throw Refusal("timeSequence must have 1 to \(Self.maximumPoints) points, not \(elements.count)")
        }
        var points: [PathPoint] = []
        for (index, element) in elements.enumerated() {
            points.append(try Self.point(element, "timeSequence[\(index)]"))
        }
        self.user = user
        self.points = points.sorted { $0.at < $1.at }
    }

    private static func point(_ element: JSONFragment, _ name: String) throws(Refusal) -> PathPoint {
        guard let text = element[member: "time"]?.stringValue, let time = InternetTime(text) else {
            throw Refusal("\(name).time must be a time like 2026-11-20T08:00:00Z")
        }
        return PathPoint(
            at: time,
            coordinate: Coordinate(
                latitude: try degrees(element[member: "latitude"], 90, "\(name).latitude"),
                longitude: try degrees(element[member: "longitude"], 180, "\(name).longitude")))
    }

    private static func degrees(
        _ value: JSONFragment?, _ limit: Double, _ name: String
    ) throws(Refusal) -> Double {
        guard let degrees = value?.doubleValue, abs(degrees) <= limit else {
            throw Refusal("\(name) must be a number from -\(Int(limit)) to \(Int(limit))")
        }
        return degrees
    }
}
