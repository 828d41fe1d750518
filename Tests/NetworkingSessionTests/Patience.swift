import Networking
import NetworkingSession

extension CallPolicy {
    /// A policy for tests in which no time limit may expire, however busy the machine is.
    static var patient: CallPolicy {
        var policy = CallPolicy()
        policy.totalTimeout = .seconds(300)
        policy.attemptLimits = AttemptLimits(connect: .seconds(60), firstByte: .seconds(120))
        return policy
    }
}

extension Session {
    /// A session with the same purpose: idle connections stay open, and calls wait long for a connection.
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
