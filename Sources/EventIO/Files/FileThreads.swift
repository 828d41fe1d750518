import Dispatch

/// The threads that read and write files for all loops: at most four, which end after 5 s without work.
public enum FileThreads {
    static let threads = 4
    static let waiting = 4096
    static let pipeThreads = 64

    static let shared = HelperThreads(
        name: "file", limit: threads, waitingLimit: waiting, idleTimeout: .seconds(5))

    /// The threads that read pipes and other sources that may wait, apart from those for files: four silent
    /// sources would stop all files.
    static let pipes = HelperThreads(
        name: "pipe", limit: pipeThreads, waitingLimit: waiting, idleTimeout: .seconds(5))

    /// Runs `work`, which may block. Returns false and drops it if too much is waiting or no thread can be
    /// started.
    public static func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        shared.submit(work)
    }
}
