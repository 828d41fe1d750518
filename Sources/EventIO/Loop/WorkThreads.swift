import Dispatch

/// The threads that do for all loops what would hold up a loop. They end after 5 s without work. Requests, responses and files have
/// threads of their own, so that none waits for another.
public enum WorkThreads {
    /// The threads of each kind.
    static let threads = 2
    static let waiting = 1024
    static let waitingResponses = 256

    public enum Kind: Sendable {
        /// Reads and checks the bodies of requests.
        case requests
        /// Reads large responses, and makes parts, calls and answers of them.
        case responses
    }

    private static let requests = HelperThreads(
        name: "work", limit: threads, waitingLimit: waiting, idleTimeout: .seconds(5))
    private static let responses = HelperThreads(
        name: "responses", limit: threads, waitingLimit: waitingResponses, idleTimeout: .seconds(5))

    /// Runs `work`. Returns false and drops it if too much of the kind is waiting or no thread can be started.
    public static func submit(_ kind: Kind, _ work: @escaping @Sendable () -> Void) -> Bool {
        switch kind {
        case .requests: requests.submit(work)
        case .responses: responses.submit(work)
        }
    }
}
