import GatewayConfig
import Glibc
import Locking

/// What a file was when it was read: another stamp means another file or other contents.
struct FileStamp: Sendable, Equatable {
    private let device: UInt
    private let node: UInt
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Follows symbolic links, so that a link to another file has another stamp. Returns nil for a missing
    /// file.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        node = UInt(status.st_ino)
        size = Int(status.st_size)
        // Any change sets the time of the last change (ctime). A program can set back only the time of the
        // last write (mtime).
        seconds = status.st_ctim.tv_sec
        nanoseconds = status.st_ctim.tv_nsec
    }
}

/// The stamps of all files that a configuration depends on, taken before each was read.
struct FileStamps: Sendable, Equatable {
    /// Nil for a missing file.
    private var files: [String: FileStamp?] = [:]
    /// The paths that a pattern matched.
    private var matches: [String: [String]] = [:]

    mutating func add(_ path: String) {
        // The first stamp is the oldest one, which no change after it can hide behind.
        if files[path] == nil { files[path] = .some(FileStamp(of: path)) }
    }

    mutating func add(_ pattern: String, _ paths: [String]) { matches[pattern] = paths }

    /// Returns the stamps that the same files have now, and what the same patterns match. Blocks.
    func taken() -> FileStamps {
        var stamps = FileStamps()
        for path in files.keys { stamps.add(path) }
        for pattern in matches.keys {
            stamps.add(pattern, (try? SystemConfigSource().paths(matching: pattern)) ?? [])
        }
        return stamps
    }

    /// Whether no file has changed and each pattern still matches the same paths. Blocks.
    var areCurrent: Bool { taken() == self }
}

/// The files and the environment of this process, with a stamp of each file that is read.
final class StampingSource: ConfigSource {
    private let source = SystemConfigSource()
    private let taken = Lock(FileStamps())

    var stamps: FileStamps { taken.withLock { $0 } }

    func note(_ paths: [String]) {
        taken.withLock { stamps in
            for path in paths { stamps.add(path) }
        }
    }

    func read(_ path: String, limit: Int) throws(ConfigSourceError) -> [UInt8] {
        note([path])
        return try source.read(path, limit: limit)
    }

    func paths(matching pattern: String) throws(ConfigSourceError) -> [String] {
        do throws(ConfigSourceError) {
            let paths = try source.paths(matching: pattern)
            taken.withLock { $0.add(pattern, paths) }
            return paths
        } catch {
            taken.withLock { $0.add(pattern, []) }
            throw error
        }
    }

    func variable(_ name: String) -> String? { source.variable(name) }
}
