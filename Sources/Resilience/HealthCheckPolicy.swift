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

    /// One line for each setting out of its range: its name, value and range.
    public var faults: [String] {
        var faults: [String] = []
        // A target of printable ASCII, so that the request can be written.
        if path.utf8.first != UInt8(ascii: "/") || !path.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
            || path.utf8.contains(UInt8(ascii: "#"))
        {
            faults.append("path: '\(path)' is not a path that begins with a slash")
        }
        if !(Duration.milliseconds(100)...(.seconds(3600))).contains(interval) {
            faults.append("interval: \(interval) is not between 100 ms and 1 h")
        }
        if !(Duration.milliseconds(10)...(.seconds(60))).contains(timeout) {
            faults.append("timeout: \(timeout) is not between 10 ms and 1 min")
        }
        if !(1...100).contains(unhealthy) {
            faults.append("unhealthy: \(unhealthy) is not between 1 and 100")
        }
        if !(1...100).contains(healthy) { faults.append("healthy: \(healthy) is not between 1 and 100") }
        return faults
    }
}
