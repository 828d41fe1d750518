extension Rules {
    /// Names that only Linux or its C library has. With `_` and more behind it, each is one, too.
    private static let linuxNames = [
        "Glibc", "st_atim", "st_ctim", "st_mtim", "O_TMPFILE", "O_PATH", "pipe2", "fallocate",
        "posix_fadvise", "eventfd", "epoll", "signalfd", "timerfd", "inotify", "accept4", "SOCK_NONBLOCK",
        "SOCK_CLOEXEC", "MSG_NOSIGNAL", "gettid", "prctl", "getrandom",
    ]
    /// A number on Linux only.
    private static let threadNumber = "UInt(pthread_self"

    /// Complains about what only Linux has in modules without sockets, unless it is below
    /// `#if canImport(Glibc)`. Modules that need `EventIO`, and `EventIO` itself, run on Linux alone.
    static func platformComplaints(_ file: SourceFile, _ manifest: Manifest) -> [String] {
        guard file.module != "EventIO", !manifest.needs(of: file.module).contains("EventIO"),
            (linuxNames + [threadNumber]).contains(where: file.text.contains)
        else { return [] }
        // For each open `#if`, whether its lines are compiled with Glibc only.
        var guards: [Bool] = []
        return file.lines.enumerated().compactMap { index, line -> String? in
            let code = withoutComment(line).drop { $0 == " " }
            if code.hasPrefix("#if ") {
                guards.append(code.hasPrefix("#if canImport(Glibc)"))
            } else if code.hasPrefix("#else"), !guards.isEmpty {
                guards[guards.count - 1] = false
            } else if code.hasPrefix("#endif") {
                _ = guards.popLast()
            }
            guard !code.hasPrefix("#"), !guards.contains(true) else { return nil }
            if importedModule(line) == "Glibc" {
                return "\(file.path):\(index + 1): import Glibc belongs below #if canImport(Glibc)"
            }
            return linuxName(in: code).map { "\(file.path):\(index + 1): \($0) is a name of Linux" }
        }
    }

    private static func linuxName(in code: Substring) -> String? {
        if code.contains(threadNumber) { return threadNumber }
        let words = code.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        return linuxNames.first { name in words.contains { $0 == name || $0.hasPrefix(name + "_") } }
    }
}
