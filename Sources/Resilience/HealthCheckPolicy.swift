/// How the addresses of an upstream are checked, besides by its calls.
///
/// A check is a GET of `path`. It passes with a status from 200 to 399, and fails with another one and
/// without a complete response in time.
public struct HealthCheckPolicy: Sendable, Hashable {
    /// The path, from the root of the upstream's host, with a query if it needs one. Begins with a slash.
    public var path: String
    /// The time from one check of an address to the next, ±10 %. 100 ms to 1 h, default 5 s.
    public var interval = Duration.seconds(5)
    /// How long a check may take. 10 ms to 1 min, default 1 s.
    public var timeout = Duration.seconds(1)
    /// How many checks must fail, one after another, before the address is not used. 1 to 100, default 3.
    public var unhealthy = 3
    /// How many checks must pass, one after another, before it is used again. 1 to 100, default 2.
    public var healthy = 2

    /// Creates a policy with the default times and counts.
    public init(path: String) {
        self.path = path
    }

    package enum Ranges {
        package static let interval = Duration.milliseconds(100)...(.seconds(3600))
        package static let timeout = Duration.milliseconds(10)...(.seconds(60))
        package static let count = 1...100
    }

    /// Whether the text is a path of printable ASCII that begins with a slash, so that the request can be
    /// written.
    package static func isPath(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/")
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }
    }

    /// One line for each setting out of its range: its name, value and range.
    public var faults: [String] {
        var faults = RangeFaults()
        faults.check("interval", interval, in: Ranges.interval)
        faults.check("timeout", timeout, in: Ranges.timeout)
        faults.check("unhealthy", unhealthy, in: Ranges.count)
        faults.check("healthy", healthy, in: Ranges.count)
        let path = Self.isPath(path) ? [] : ["path: '\(path)' is not a path that begins with a slash"]
        return path + faults.list
    }
}
