import HTTPModel
import Networking
import Rx
import RxTesting
import Testing

/// What goes out for a target: its call, or why none was made.
enum Outgoing {
    static func call(_ target: Anything) throws -> TransportCall {
        let (call, error) = try attempt(target)
        return try #require(call, "\(String(describing: error))")
    }

    static func refusal(_ target: Anything) throws -> NetworkError {
        let (call, error) = try attempt(target)
        #expect(call == nil)
        return try #require(error)
    }

    private static func attempt(_ target: Anything) throws -> (TransportCall?, NetworkError?) {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(.json("{}"))
        let provider = try Provider<Anything>(upstream: "any", transport: transport)
        let probe = Probe(provider.rx.request(target))
        return (transport.attempts.first?.call, probe.networkError)
    }

    /// The query that parameters make.
    static func query(
        _ parameters: Parameters, _ encoding: ParameterEncoding, path: RequestPath = "/x"
    ) throws -> String? {
        try call(Anything(path: path, task: .parameters(parameters, encoding: encoding))).query
    }

    /// The body that a task makes.
    static func body(_ task: RequestTask) throws -> String {
        let call = try call(Anything(method: .post, task: task))
        return String(decoding: try call.body.collect(), as: UTF8.self)
    }
}
