import Networking
package import Rx

/// The executors of the tasks of an endpoint or a shared value, one on each loop.
package protocol NamedExecutors: Sendable {
    /// The executor on the calling loop; nil on other threads.
    var current: (any TaskExecutor)? { get }

    /// Returns the executor on the loop that is this scheduler; nil for any other scheduler.
    func executor(of scheduler: any SchedulerType) -> (any TaskExecutor)?
}

/// What the code of endpoints may use of the gateway's environment.
struct EndpointServices: Sendable {
    let report: @Sendable (GatewayIncident) -> Void
    let log: (any RequestLog)?
    let blockingWork: (@Sendable (_ work: WaitingWork) -> Bool)?
    let executors: (@Sendable (_ name: String) -> any NamedExecutors)?
    let noteMainQueue: @Sendable (_ endpoint: String) -> Void

    init(_ environment: GatewayEnvironment) {
        report = environment.report
        log = environment.log
        blockingWork = environment.blockingWork
        executors = environment.executors
        noteMainQueue = environment.noteMainQueue
    }
}
