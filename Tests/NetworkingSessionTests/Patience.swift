import Networking
import NetworkingSession

extension CallPolicy {
    /// For tests in which no time limit should pass, however busy the machine is.
    static var patient: CallPolicy {
        var policy = CallPolicy()
        policy.totalTimeout = .seconds(300)
        policy.attemptLimits = AttemptLimits(connect: .seconds(60), firstByte: .seconds(120))
        return policy
    }
}

extension Session {
    /// The same for a session: idle connections stay, and calls wait for one.
    static func patient(loops: Int = 1) throws -> Session {
        var configuration = Session.Configuration()
        configuration.loops = loops
        configuration.connections.proxy = .none
        configuration.limits.idleTimeout = .seconds(600)
        configuration.limits.waitTimeout = .seconds(60)
        configuration.policy = .patient
        return try Session(configuration)
    }
}
