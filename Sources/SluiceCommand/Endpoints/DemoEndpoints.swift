import GatewayCore
import HTTPModel
import JSONBytes
import SampleUpstreams

/// The switches of the demo: each sample upstream can be made to fail, so that one can see what the gateway makes of it.
enum DemoEndpoints {
    static func declare(on gateway: Gateway, faults: FaultBoard) {
        gateway.get("/demo/faults/{upstream}") { request in
            .fragment(faults.list(of: try upstream(request)))
        }

        // The body is that of the sample upstreams' own `PUT /faults`: {"api":"weights","fault":"delay:2000"}; without
        // an api the upstream is meant as a whole.
        gateway.put("/demo/faults/{upstream}") { request in
            let upstream = try upstream(request)
            do throws(FaultError) {
                try faults.set(document: request.body, of: upstream)
            } catch {
                throw GatewayError.invalidRequest(error.description)
            }
            return .fragment(faults.list(of: upstream))
        }
    }

    private static func upstream(_ request: GatewayRequest) throws -> SampleUpstream {
        let name = try request.path("upstream", as: String.self)
        guard let upstream = SampleUpstream(rawValue: name) else {
            let known = SampleUpstream.allCases.map(\.rawValue).joined(separator: ", ")
            throw GatewayError.notFound(
                "there is no upstream \"\(name)\" with a fault switch; there are: \(known)")
        }
        return upstream
    }
}
