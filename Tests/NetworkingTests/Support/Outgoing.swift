import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// Captures the call that is sent for a target, or its error.
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

    static func query(
        _ parameters: Parameters, _ encoding: ParameterEncoding, path: RequestPath = "/x"
    ) throws -> String? {
        try call(Anything(path: path, task: .parameters(parameters, encoding: encoding))).query
    }

    static func body(_ task: RequestTask) throws -> String {
        let call = try call(Anything(method: .post, task: task))
        return String(decoding: try call.body.collect(), as: UTF8.self)
    }
}
