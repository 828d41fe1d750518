import Glibc

/// Where a new file goes: an unused name, or the name of a regular file, which the new one replaces. Symbolic
/// links to regular files are followed. Devices, pipes, folders and links to missing files are refused, since
/// renaming a file over them would remove them.
struct FilePlace: Sendable {
    /// The path of the file; after the last link, if the given path ends in one.
    let path: String
    /// The file to replace, if any.
    let replaced: FileAccess?
    /// The path as given, for errors.
    private let given: String

    /// The path of the folder with a slash at its end; empty for the working directory.
    var folder: String { path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "" }

    init(_ path: String) throws(SocketError) {
        try SocketError.checkPath(path)
        given = path
        var status = stat()
        // Follows links as far as the system lets this process (`fs.protected_symlinks`, proc_sys_fs(5)).
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw SocketError(.file, errno, subject: path) }
            guard lstat(path, &status) != 0 else { throw SocketError(.danglingLink, .file, subject: path) }
            guard let last = path.utf8.last, last != UInt8(ascii: "/") else {
                throw SocketError(.file, path.isEmpty ? ENOENT : EISDIR, subject: path)
            }
            self.path = path
            replaced = nil
            return
        }
        replaced = try FileAccess(ofRegularFile: status, path)
        self.path = try Self.target(of: path, status)
    }

    /// Returns the path of the file behind the last link.
    private static func target(of path: String, _ status: stat) throws(SocketError) -> String {
        var found = stat()
        guard lstat(path, &found) == 0 else { throw SocketError(.file, errno, subject: path) }
        if found.st_mode & S_IFMT != S_IFLNK { return path }
        guard let real = realpath(path, nil) else { throw SocketError(.file, errno, subject: path) }
        defer { free(real) }
        // Another file means that the link was changed since the system followed it.
        guard lstat(real, &found) == 0, found.st_ino == status.st_ino, found.st_dev == status.st_dev else {
            throw SocketError(.notRegularFile, .file, subject: path)
        }
        return String(cString: real)
    }

    /// Looks again: returns the regular file that has the name now, or nil if the name is free.
    ///
    /// - Throws: `.notRegularFile` if something else has the name.
    func regularFile() throws(SocketError) -> FileAccess? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw SocketError(.file, errno, subject: given) }
            return nil
        }
        return try FileAccess(ofRegularFile: status, given)
    }
}

/// Who may use a file: its owner, its group and its permissions.
struct FileAccess: Sendable {
    private let owner: uid_t
    private let group: gid_t
    private let mode: mode_t

    /// - Throws: the reason why it is not a regular file.
    fileprivate init(ofRegularFile status: stat, _ path: String) throws(SocketError) {
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else { throw SocketError(.file, EISDIR, subject: path) }
        guard kind == S_IFREG else { throw SocketError(.notRegularFile, .file, subject: path) }
        owner = status.st_uid
        group = status.st_gid
        // Without set-user-ID and set-group-ID, which writing to a file removes as well.
        mode = status.st_mode & 0o777
    }

    /// Gives the same permissions to another file, and the same owner and group if the process may set them.
    /// If it may not set the group, the new file's group gets only what everybody gets.
    func copy(to descriptor: Int32, _ path: String) throws(SocketError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SocketError(.file, errno, subject: path) }
        var mode = mode
        if status.st_uid != owner || status.st_gid != group, fchown(descriptor, owner, group) != 0,
            status.st_gid != group, fchown(descriptor, uid_t.max, group) != 0
        {
            mode = mode & 0o707 | (mode & 0o007) << 3
        }
        guard status.st_mode & 0o777 != mode else { return }
        guard fchmod(descriptor, mode) == 0 else { throw SocketError(.file, errno, subject: path) }
    }
}
