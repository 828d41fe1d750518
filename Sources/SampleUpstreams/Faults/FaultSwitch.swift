/// A switch for which a fault can be set: a whole upstream, or a part of one. A part without a fault has its
/// parent's.
public enum FaultSwitch: String, CaseIterable, Sendable {
    case diary
    /// `GET /food-diary/weights` with any keyword.
    case weights
    /// `GET /food-diary/weights` with `keyword=recent`.
    case recent
    /// `GET /food-diary/weights` with another keyword, or none.
    case total
    /// `GET /food-diary/weights/{date}`.
    case day
    /// `PUT` and `DELETE /food-diary/weights/{date}/{half}`.
    case record

    case weather
    /// The nowcast.
    case now
    /// Both forecasts.
    case forecast

    case places
    /// `POST /places/daily/path`.
    case path
    /// `GET /places/piechart`.
    case piechart

    case users
    /// `GET /users/{name}/picture`.
    case picture

    case tags
    /// `GET /tags/received/{cardUUID}`.
    case received

    /// The switch that this one is a part of; nil for a whole upstream.
    var parent: FaultSwitch? {
        switch self {
        case .diary, .weather, .places, .users, .tags: nil
        case .recent, .total: .weights
        case .weights, .day, .record: .diary
        case .now, .forecast: .weather
        case .path, .piechart: .places
        case .picture: .users
        case .received: .tags
        }
    }

    var selfAndParents: some Sequence<FaultSwitch> { sequence(first: self) { $0.parent } }

    var upstream: SampleUpstream {
        switch self {
        case .diary, .weights, .recent, .total, .day, .record: .diary
        case .weather, .now, .forecast: .weather
        case .places, .path, .piechart: .places
        case .users, .picture: .users
        case .tags, .received: .tags
        }
    }

    init(_ upstream: SampleUpstream) {
        switch upstream {
        case .diary: self = .diary
        case .weather: self = .weather
        case .places: self = .places
        case .users: self = .users
        case .tags: self = .tags
        }
    }

    /// Returns the switches of an upstream; all switches for nil.
    static func all(of upstream: SampleUpstream?) -> [FaultSwitch] {
        guard let upstream else { return allCases }
        return allCases.filter { $0.upstream == upstream }
    }
}
