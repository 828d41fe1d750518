import Networking

/// The flags about single upstreams.
enum UpstreamFlags {
    /// Parses `diary=http://...` to `["diary": "http://..."]`. A repeated name has several addresses.
    static func addresses(
        _ texts: [String], known: [String]?
    ) throws(UsageError) -> [String: UpstreamURLs] {
        var upstreams: [String: UpstreamURLs] = [:]
        for text in texts {
            guard let (name, url) = named(text) else {
                throw UsageError(message: "--upstream takes NAME=URL, not '\(text)'")
            }
            try checkName(name, "--upstream", known)
            let urls = (upstreams[name]?.all ?? []) + [url]
            do {
                _ = try Upstream(name: name, baseURLs: urls)
            } catch {
                throw UsageError(message: error.description)
            }
            upstreams[name] = UpstreamURLs(urls)
        }
        return upstreams
    }

    /// Parses `diary=100` to `["diary": 100]`.
    static func concurrency(
        _ texts: [String], known: [String]?
    ) throws(UsageError) -> [String: Int] {
        var limits: [String: Int] = [:]
        for text in texts {
            guard let (name, value) = named(text), let count = Int(value), count > 0 else {
                throw UsageError(
                    message: "--upstream-concurrency takes NAME=COUNT, at least 1, not '\(text)'")
            }
            try checkName(name, "--upstream-concurrency", known)
            guard limits.updateValue(count, forKey: name) == nil else {
                throw UsageError(message: "--upstream-concurrency sets '\(name)' twice")
            }
        }
        return limits
    }

    /// Without a list, the gateway itself complains of unknown names when it starts.
    private static func checkName(_ name: String, _ flag: String, _ known: [String]?) throws(UsageError) {
        guard let known, !known.contains(name) else { return }
        throw UsageError(
            message: "\(flag) sets the unknown '\(name)'; the upstreams are \(known.joined(separator: ", "))")
    }

    /// Splits `NAME=VALUE` at the first equals sign; nil if either side is empty.
    static func named(_ text: String) -> (name: String, value: String)? {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
        let value = text[text.index(after: equals)...]
        return value.isEmpty ? nil : (String(text[..<equals]), String(value))
    }
}
