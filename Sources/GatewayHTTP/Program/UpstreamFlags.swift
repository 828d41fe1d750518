import Networking

/// The flags about single upstreams.
enum UpstreamFlags {
    /// Parses `diary=http://...` to `["diary": "http://..."]`. A repeated name has several addresses.
    static func addresses(
        _ arguments: ProgramArguments, known: [String]?
    ) throws(UsageError) -> [String: UpstreamURLs] {
        let source = arguments.source(of: "upstream")
        var upstreams: [String: UpstreamURLs] = [:]
        for text in arguments.all("upstream") {
            guard let (name, url) = named(text) else {
                throw UsageError(message: "\(source) takes NAME=URL, not '\(text)'")
            }
            try checkName(name, source, known)
            let urls = (upstreams[name]?.all ?? []) + [url]
            do {
                _ = try Upstream(name: name, baseURLs: urls)
            } catch {
                // The message of a flag has the text that was typed. A variable's message names the variable.
                let prefix = arguments.isFromVariable("upstream") ? "\(source): " : ""
                throw UsageError(message: prefix + error.description)
            }
            upstreams[name] = UpstreamURLs(urls)
        }
        return upstreams
    }

    /// Parses `diary=100` to `["diary": 100]`.
    ///
    /// - Parameters:
    ///   - arguments: the flags.
    ///   - known: the names of the upstreams; nil if only the endpoints know.
    ///   - settled: the upstreams whose limit a file sets. What the variable says about them has no effect.
    static func concurrency(
        _ arguments: ProgramArguments, known: [String]?, settled: Set<String> = []
    ) throws(UsageError) -> [String: Int] {
        let source = arguments.source(of: "upstream-concurrency")
        let isFromVariable = arguments.isFromVariable("upstream-concurrency")
        var limits: [String: Int] = [:]
        for text in arguments.all("upstream-concurrency") {
            if isFromVariable, let name = named(text)?.name, settled.contains(name) { continue }
            guard let (name, value) = named(text), let count = Int(value), count > 0 else {
                throw UsageError(message: "\(source) takes NAME=COUNT, at least 1, not '\(text)'")
            }
            try checkName(name, source, known)
            guard limits.updateValue(count, forKey: name) == nil else {
                throw UsageError(message: "\(source) sets '\(name)' twice")
            }
        }
        return limits
    }

    /// Without a list, the gateway itself complains of unknown names when it starts.
    private static func checkName(_ name: String, _ source: String, _ known: [String]?) throws(UsageError) {
        guard let known, !known.contains(name) else { return }
        throw UsageError(
            message:
                "\(source) sets the unknown '\(name)'; the upstreams are \(known.joined(separator: ", "))")
    }

    /// Splits `NAME=VALUE` at the first equals sign; nil if either side is empty.
    static func named(_ text: String) -> (name: String, value: String)? {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
        let value = text[text.index(after: equals)...]
        return value.isEmpty ? nil : (String(text[..<equals]), String(value))
    }
}
