import Dispatch

/// The threads in which files are read and written for all loops: four at most, each for 5 s after its last work; 4096 pieces
/// of work can wait for them.
public enum FileThreads {
    static let threads = 4
    static let waiting = 4096

    static let shared = HelperThreads(
        name: "file", limit: threads, waitingLimit: waiting, patience: .seconds(5))

    /// Does `work`, which may block, on one of them. False, and nothing is done, where too much waits or no thread can be
    /// had.
    public static func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        shared.submit(work)
    }
}
