private import Glibc

/// Where data goes that nobody named a place for.
enum Folders {
    /// The user's data file by the XDG base directory rules: `$XDG_DATA_HOME/sluice/diary.sqlite3`, else
    /// `~/.local/share/sluice/diary.sqlite3`. A relative `XDG_DATA_HOME` is ignored, as the rules have it.
    static func defaultDataPath(environment: [String: String]) throws(SampleDataError) -> String {
        let file = "sluice/diary.sqlite3"
        if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") { return join(folder, file) }
        if let home = environment["HOME"], home.hasPrefix("/") { return join(home, ".local/share/" + file) }
        throw SampleDataError(
            path: file, message: "no place for it: neither XDG_DATA_HOME nor HOME is an absolute path")
    }

    private static func join(_ folder: String, _ file: String) -> String {
        folder.hasSuffix("/") ? folder + file : folder + "/" + file
    }

    /// Makes the folders on the way to `path` that do not exist, for their owner only.
    static func make(for path: String) throws(SampleDataError) {
        for end in path.indices where path[end] == "/" && end != path.startIndex {
            let folder = String(path[..<end])
            guard access(folder, F_OK) != 0, mkdir(folder, 0o700) != 0, errno != EEXIST else { continue }
            let reason = String(cString: strerror(errno))
            throw SampleDataError(path: path, message: "cannot make the folder \(folder): \(reason)")
        }
    }
}
