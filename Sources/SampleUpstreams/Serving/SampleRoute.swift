internal import HTTPModel

/// What a path of the sample upstreams names.
enum SampleRoute: Equatable {
    /// `/food-diary/weights`
    case weights
    /// `/food-diary/weights/{date}`
    case day(String)
    /// `/food-diary/weights/{date}/{am|pm}`
    case record(String, DayHalf)
    /// `/faults`
    case faults
    /// `/health/live` and `/health/ready`: a server that answers is both.
    case health

    /// Nil where there is no such path.
    init?(_ target: RequestTarget) {
        guard target.form == .origin || target.form == .absolute else { return nil }
        var segments: [String] = []
        for part in target.pathBytes.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false) {
            guard let segment = try? PercentEncoding.decodeSegment(part) else { return nil }
            segments.append(segment)
        }
        switch segments.first {
        case "faults" where segments.count == 1: self = .faults
        case "health" where segments == ["health", "live"] || segments == ["health", "ready"]: self = .health
        case "food-diary" where segments.count > 1 && segments[1] == "weights":
            switch segments.count {
            case 2: self = .weights
            case 3: self = .day(segments[2])
            case 4:
                guard let half = DayHalf(rawValue: segments[3]) else { return nil }
                self = .record(segments[2], half)
            default: return nil
            }
        default: return nil
        }
    }

    var methods: [HTTPMethod] {
        switch self {
        case .weights, .day, .health: [.get]
        case .record: [.put, .delete]
        case .faults: [.get, .put]
        }
    }
}
