import Networking

/// The executors of an endpoint's tasks, one on each loop.
package protocol EndpointExecutors: Sendable {
    /// The executor on the calling loop; nil on other threads.
    var current: (any TaskExecutor)? { get }
}

/// What the code of endpoints may use of the gateway's environment.
struct EndpointServices: Sendable {
    let report: @Sendable (GatewayIncident) -> Void
    let log: (any RequestLog)?
    let blockingWork: WorkApart?
    let executors: (@Sendable (_ endpoint: String) -> any EndpointExecutors)?
    let noteMainQueue: @Sendable (_ endpoint: String) -> Void

    init(_ environment: GatewayEnvironment) {
        report = environment.report
        log = environment.log
        blockingWork = environment.blockingWork
        executors = environment.executors
        noteMainQueue = environment.noteMainQueue
    }
}
