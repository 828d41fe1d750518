private import Glibc

/// The default folder of the database.
enum DataFolder {
    /// Returns the user's data file by the XDG Base Directory Specification:
    /// `$XDG_DATA_HOME/sluice/diary.sqlite3`, or else `~/.local/share/sluice/diary.sqlite3`. As specified, a
    /// relative `XDG_DATA_HOME` is ignored.
    static func defaultDataPath(environment: [String: String]) throws(SampleDataError) -> String {
        let file = "sluice/diary.sqlite3"
        if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") { return join(folder, file) }
        if let home = environment["HOME"], home.hasPrefix("/") { return join(home, ".local/share/" + file) }
        throw SampleDataError(
            path: file, message: "no default folder: neither XDG_DATA_HOME nor HOME is an absolute path")
    }

    private static func join(_ folder: String, _ file: String) -> String {
        folder.hasSuffix("/") ? folder + file : folder + "/" + file
    }

    /// Creates the missing folders of `path`, accessible only to their owner.
    static func create(for path: String) throws(SampleDataError) {
        for end in path.indices where path[end] == "/" && end != path.startIndex {
            let folder = String(path[..<end])
            guard access(folder, F_OK) != 0, mkdir(folder, 0o700) != 0, errno != EEXIST else { continue }
            let reason = String(cString: strerror(errno))
            throw SampleDataError(path: path, message: "cannot create the folder \(folder): \(reason)")
        }
    }
}
