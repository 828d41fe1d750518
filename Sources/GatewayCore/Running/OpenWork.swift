import Locking

/// What an unanswered request waits for, for the messages of tests.
package struct OpenWork: Sendable {
    /// A part that has not ended.
    package struct Part: Sendable {
        /// Unique among the request's parts, as in `CallContext.partNumber`.
        package let number: Int
        package let name: String
    }

    package let requestID: String
    /// The path template of the endpoint; nil in middleware for a request that no endpoint takes.
    package let route: String?
    /// Empty if the request waits for its handler, or has been answered with a stream.
    package let parts: [Part]

    /// Returns the same request with this part alone, if it is open.
    package func only(_ part: Int?) -> OpenWork {
        let found = parts.filter { $0.number == part }
        return found.isEmpty ? self : OpenWork(requestID: requestID, route: route, parts: found)
    }
}

extension OngoingRequest {
    /// What the request waits for; nil if nothing is known about it.
    package var openWork: OpenWork? { (self as? EndpointRun)?.work }
}

extension EndpointRun {
    fileprivate var work: OpenWork {
        let parts = state.withLock { $0.openParts }
        return OpenWork(
            requestID: request.requestID, route: request.route,
            parts: parts.isEmpty ? pipeline?.openParts ?? [] : parts)
    }
}
