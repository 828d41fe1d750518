/// The sample upstreams, each an API of its own behind one server, by the names that the gateway has for them.
public enum SampleUpstream: String, CaseIterable, Sendable {
    /// Weights: charts, days, records.
    case diary
    /// Now-casts and forecasts of Korea's grid.
    case weather
    /// The paths of days, and where their time went.
    case places
    /// Profiles by name.
    case users
    /// Tags, and those that a card received.
    case tags

    /// What follows the server's address in the upstream's base URL: empty, or a path.
    public var basePath: String {
        switch self {
        case .diary, .tags: ""
        case .weather: "/weather"
        case .places: "/places"
        case .users: "/users"
        }
    }
}
