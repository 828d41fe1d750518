/// The hooks and jobs of a gateway, in the order of their declarations.
package struct GatewayLifecycle: Sendable {
    /// The time of a hook of the start, unless it has its own.
    package static let startLimit = Duration.seconds(30)
    /// The time of a hook of the drain or the stop, unless it has its own.
    package static let endLimit = Duration.seconds(10)
    /// The time of a run of a job, unless the job has its own.
    package static let jobLimit = Duration.seconds(60)

    var hooks: [LifecycleHook] = []
    var jobs: [PeriodicJob.Declaration] = []

    /// The hooks of a moment. Hooks of the stop are in reverse order.
    func hooks(at moment: LifecycleHook.Moment) -> [LifecycleHook] {
        let found = hooks.filter { $0.moment == moment }
        return moment == .stop ? found.reversed() : found
    }

    /// The longest time from the beginning of the drain to the end of the hooks of the stop.
    func longestStop(after drain: Duration) -> Duration {
        func limits(_ moment: LifecycleHook.Moment) -> Duration {
            hooks(at: moment).reduce(.zero) { $0 + $1.limit }
        }
        return max(drain, limits(.drain)) + Self.endLimit + limits(.stop)
    }
}

/// What a gateway does once, at a moment of its life.
struct LifecycleHook: Sendable {
    enum Moment: Sendable {
        case start
        case drain
        case stop
    }

    let moment: Moment
    /// Where it is declared: `Shop/Program.swift:12`.
    let place: String
    let limit: Duration
    let work: @Sendable () async throws -> Void

    /// For messages.
    var name: String {
        let function =
            switch moment {
            case .start: "onStart"
            case .drain: "onDrain"
            case .stop: "onStop"
            }
        return "\(function) at \(place)"
    }
}

/// A fault of code that runs outside of requests: a hook, a job, or the closure of a shared value.
package struct BackgroundFault: Error, Sendable, CustomStringConvertible {
    package let description: String

    /// The code threw an error.
    init(_ name: String, _ error: any Error) { description = "\(name) failed: \(error)" }

    /// Something that a handler declares, which is too late.
    init(_ fault: EndpointFault) { description = fault.description }

    /// The code has not ended in time.
    init(_ name: String, after limit: Duration) { description = "\(name) did not end within \(limit)" }
}
