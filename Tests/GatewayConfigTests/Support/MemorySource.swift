import GatewayConfig

/// Files and variables in memory.
struct MemorySource: ConfigSource {
    var files: [String: String] = [:]
    var variables: [String: String] = [:]

    func read(_ path: String, limit: Int) throws(ConfigSourceError) -> [UInt8] {
        guard let text = files[path] else { throw ConfigSourceError("no such file") }
        guard text.utf8.count <= limit else { throw ConfigSourceError("more than \(limit) bytes") }
        return Array(text.utf8)
    }

    /// Knows patterns with one asterisk.
    func paths(matching pattern: String) throws(ConfigSourceError) -> [String] {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        return files.keys.filter {
            $0.hasPrefix(parts[0]) && $0.hasSuffix(parts[1]) && !$0.dropFirst(parts[0].count).contains("/")
        }.sorted()
    }

    func variable(_ name: String) -> String? { variables[name] }
}
