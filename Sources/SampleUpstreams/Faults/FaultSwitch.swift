/// What faults are set for, by name: an upstream as a whole, or a part of it. A part without a fault of its own has that
/// of what it belongs to.
public enum FaultSwitch: String, CaseIterable, Sendable {
    /// All of the food diary.
    case diary
    /// `GET /food-diary/weights`, whatever its keyword.
    case weights
    /// `GET /food-diary/weights` with `keyword=recent`.
    case recent
    /// `GET /food-diary/weights` otherwise.
    case total
    /// `GET /food-diary/weights/{date}`.
    case day
    /// `PUT` and `DELETE /food-diary/weights/{date}/{half}`.
    case record

    /// All of the weather.
    case weather
    /// The now-cast.
    case now
    /// Both forecasts.
    case forecast

    /// All of the places.
    case places
    /// `POST /places/daily/path`.
    case path
    /// `GET /places/piechart`.
    case piechart

    /// All of the users.
    case users

    /// All of the tags.
    case tags
    /// `GET /tags/received/{cardUUID}`.
    case received

    /// What it belongs to; nil for a whole upstream.
    var whole: FaultSwitch? {
        switch self {
        case .diary, .weather, .places, .users, .tags: nil
        case .recent, .total: .weights
        case .weights, .day, .record: .diary
        case .now, .forecast: .weather
        case .path, .piechart: .places
        case .received: .tags
        }
    }

    /// It and what it belongs to, up to the whole upstream.
    var line: some Sequence<FaultSwitch> { sequence(first: self) { $0.whole } }

    var upstream: SampleUpstream {
        switch self {
        case .diary, .weights, .recent, .total, .day, .record: .diary
        case .weather, .now, .forecast: .weather
        case .places, .path, .piechart: .places
        case .users: .users
        case .tags, .received: .tags
        }
    }

    /// The switch of an upstream as a whole.
    init(_ upstream: SampleUpstream) {
        switch upstream {
        case .diary: self = .diary
        case .weather: self = .weather
        case .places: self = .places
        case .users: self = .users
        case .tags: self = .tags
        }
    }

    /// The switches of an upstream; all of them for nil.
    static func all(of upstream: SampleUpstream?) -> [FaultSwitch] {
        guard let upstream else { return allCases }
        return allCases.filter { $0.upstream == upstream }
    }
}
