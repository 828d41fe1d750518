import Dispatch

/// The threads that do for all loops what would hold up a loop. They end after 5 s without work. Requests,
/// responses, handlers and files have threads of their own, so that none waits for another.
public enum WorkThreads {
    /// The threads of `requests` and of `responses`.
    static let threads = 2
    static let handlerThreads = 16
    static let backgroundThreads = 64
    static let waiting = 1024
    static let waitingResponses = 256

    /// The groups of threads.
    public enum Kind: Sendable {
        /// Reads and checks the bodies of requests.
        case requests
        /// Reads large responses, and makes parts, calls and answers of them.
        case responses
        /// Runs the blocking work of handlers, which mostly waits.
        case handlers
        /// Runs the code of hooks and jobs, which may block.
        case background
    }

    private static let requests = HelperThreads(
        name: "work", limit: threads, waitingLimit: waiting, idleTimeout: .seconds(5))
    private static let responses = HelperThreads(
        name: "responses", limit: threads, waitingLimit: waitingResponses, idleTimeout: .seconds(5))
    private static let handlers = HelperThreads(
        name: "blocking", limit: handlerThreads, waitingLimit: waiting, idleTimeout: .seconds(5))

    private static let background = HelperThreads(
        name: "background", limit: backgroundThreads, waitingLimit: waiting, idleTimeout: .seconds(5))

    /// Runs `work`. Returns false and drops it if too much of the kind is waiting, at all or for this client,
    /// or no thread can be started.
    ///
    /// - Parameters:
    ///   - client: the address for which the work is done, as `SocketAddress.description` writes it. Clients
    ///     take turns; nil has turns of its own.
    ///   - isDropped: whether nobody wants the work any more. It then gives its place to other work, if all
    ///     places are taken. Default nil: that cannot be.
    ///   - work: called on a thread of the kind.
    public static func submit(
        _ kind: Kind, for client: String? = nil, isDropped: (@Sendable () -> Bool)? = nil,
        _ work: @escaping @Sendable () -> Void
    ) -> Bool {
        let client = client.flatMap { AddressPrefix($0) }
        return threads(kind).submit(for: client, isDropped: isDropped, work)
    }

    private static func threads(_ kind: Kind) -> HelperThreads {
        switch kind {
        case .requests: requests
        case .responses: responses
        case .handlers: handlers
        case .background: background
        }
    }
}
