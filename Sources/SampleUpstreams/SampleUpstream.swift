/// The sample upstream APIs, which one server serves. The raw values are the gateway's names for them.
public enum SampleUpstream: String, CaseIterable, Sendable {
    /// The food diary: weights of days, and charts of them.
    case diary
    /// Nowcasts and forecasts for Korea.
    case weather
    /// Paths of a day, and how its time was spent.
    case places
    /// User profiles by name.
    case users
    /// Tags, and the tags that a card received.
    case tags

    /// The path of the upstream's base URL; may be empty.
    public var basePath: String {
        switch self {
        case .diary, .tags: ""
        case .weather: "/weather"
        case .places: "/places"
        case .users: "/users"
        }
    }
}
