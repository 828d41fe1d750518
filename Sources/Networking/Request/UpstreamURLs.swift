/// The base URLs of an upstream: one, or several servers of the same API among which the calls are shared.
///
///     configuration.upstreams = [
///         "users": "http://10.0.0.7:8081",
///         "diary": ["http://10.0.0.8:8081/food-diary", "http://10.0.0.9:8081/food-diary"],
///     ]
///
/// The URLs are checked where they are used: see `Upstream.init(name:baseURLs:)`.
public struct UpstreamURLs: Sendable, Hashable, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral {
    /// The URLs in the order given, not checked.
    public let all: [String]

    /// One base URL: `http://host:port/prefix`, `https://host:port/prefix`, or a Unix-domain socket,
    /// `unix:/run/diary.sock`.
    public init(_ url: String) {
        all = [url]
    }

    /// Several base URLs: 1 to 64 with the same scheme and path, each with its own host or port.
    public init(_ urls: [String]) {
        all = urls
    }

    /// Creates the value from a string literal.
    public init(stringLiteral url: String) {
        self.init(url)
    }

    /// Creates the value from an array literal.
    public init(arrayLiteral urls: String...) {
        self.init(urls)
    }
}
