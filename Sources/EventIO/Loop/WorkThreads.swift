import Dispatch

/// The threads that do for all loops what would hold up a loop: at most two, which end after 5 s without work. Files have threads of their
/// own, so that neither waits for the other.
public enum WorkThreads {
    static let threads = 2
    static let waiting = 1024

    private static let shared = HelperThreads(
        name: "work", limit: threads, waitingLimit: waiting, idleTimeout: .seconds(5))

    /// Runs `work`. Returns false and drops it if too much is waiting or no thread can be started.
    public static func submit(_ work: @escaping @Sendable () -> Void) -> Bool { shared.submit(work) }
}
