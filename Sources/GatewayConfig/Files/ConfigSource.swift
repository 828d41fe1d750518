/// Where a configuration comes from: files and the environment, or what a test has in their place.
package protocol ConfigSource: Sendable {
    /// Returns the bytes of a regular file.
    ///
    /// - Parameters:
    ///   - path: relative to the working directory, or absolute.
    ///   - limit: the most bytes that the file may have.
    func read(_ path: String, limit: Int) throws(ConfigSourceError) -> [UInt8]

    /// Returns the path that `read` opens, for messages.
    func absolute(_ path: String) -> String

    /// Returns the existing paths that match a pattern of glob(7), in the order of their bytes.
    func paths(matching pattern: String) throws(ConfigSourceError) -> [String]

    /// Returns a variable of the environment; nil if it is not set.
    func variable(_ name: String) -> String?
}

extension ConfigSource {
    package func absolute(_ path: String) -> String { path }
}

/// Why a file cannot be read, phrased to follow its name: "no such file".
package struct ConfigSourceError: Error, Sendable, Hashable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}
