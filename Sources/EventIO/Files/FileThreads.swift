/// The threads in which files are read and written for all loops.
enum FileThreads {
    static let shared = HelperThreads(name: "file", limit: 4, waitingLimit: 4096)
}
