import Glibc

/// The files and the environment of this process. Reading blocks.
package struct SystemConfigSource: ConfigSource {
    /// The most paths that a pattern may match.
    static let mostPaths = 4096

    private let variables: @Sendable (String) -> String?

    /// - Parameter variables: returns a variable of the environment, by default the process's.
    package init(
        variables: @escaping @Sendable (String) -> String? = { name in
            getenv(name).map { String(cString: $0) }
        }
    ) {
        self.variables = variables
    }

    package func variable(_ name: String) -> String? { variables(name) }

    package func read(_ path: String, limit: Int) throws(ConfigSourceError) -> [UInt8] {
        guard !path.utf8.contains(0) else { throw ConfigSourceError("the path has a NUL character") }
        // O_NONBLOCK: opening a pipe would wait for its other end.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure() }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure() }
        guard status.st_mode & S_IFMT == S_IFREG else { throw ConfigSourceError("not a regular file") }
        // One byte more than the size tells whether the file has grown.
        var bytes = [UInt8](repeating: 0, count: min(max(Int(status.st_size), 0), limit) + 1)
        var count = 0
        while true {
            if count == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
            let result = bytes.withUnsafeMutableBytes { room in
                Glibc.read(descriptor, room.baseAddress.map { $0 + count }, room.count - count)
            }
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else { throw Self.failure() }
            guard result > 0 else { break }
            count += result
            guard count <= limit else { throw ConfigSourceError("more than \(Self.size(limit))") }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    package func absolute(_ path: String) -> String {
        guard path.utf8.first != UInt8(ascii: "/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)"
    }

    package func paths(matching pattern: String) throws(ConfigSourceError) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        switch glob(pattern, GLOB_NOSORT, nil, &found) {
        case 0: break
        case GLOB_NOMATCH: return []
        default: throw ConfigSourceError("the pattern cannot be searched")
        }
        guard found.gl_pathc <= Self.mostPaths else {
            throw ConfigSourceError("the pattern matches more than \(Self.mostPaths) files")
        }
        return (0..<Int(found.gl_pathc)).compactMap { index in
            found.gl_pathv[index].map { String(cString: $0) }
        }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func failure() -> ConfigSourceError {
        let code = errno
        switch code {
        case ENOENT: return ConfigSourceError("no such file")
        case EACCES: return ConfigSourceError("permission denied")
        default: return ConfigSourceError(String(cString: strerror(code)))
        }
    }

    private static func size(_ bytes: Int) -> String {
        bytes >= 1 << 20 ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
    }
}
