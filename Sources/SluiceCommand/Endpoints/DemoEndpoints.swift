import GatewayCore
import JSONBytes
import SampleUpstreams

/// The fault switches of the demo, which make a sample upstream fail, the calls of a request that is under
/// way, and the ports of the upstreams. With `Demo-Visitor`, a request sets and lists the faults of that
/// visitor, otherwise everybody's faults.
enum DemoEndpoints {
    static func declare(on gateway: Gateway, faults: FaultBoard, calls: RecentCalls, ports: SamplePorts) {
        // Where a page finds the upstreams, at its own host.
        gateway.get("/demo/upstreams") { _ in .fragment(ports.document) }

        gateway.get("/demo/faults") { request in
            let visitor = try request.visitor()
            var composer = JSONComposer()
            composer.beginObject()
            for upstream in SampleUpstream.allCases {
                composer.key(upstream.rawValue)
                composer.fragment(faults.list(of: upstream, for: visitor))
            }
            composer.endObject()
            return .fragment(composer.fragment())
        }

        gateway.get("/demo/faults/{upstream}") { request in
            .fragment(faults.list(of: try upstream(request), for: try request.visitor()))
        }

        // The same body as for the sample upstreams' `PUT /faults`: {"api":"weights","fault":"delay:2000"}.
        // Without "api" the fault concerns the whole upstream.
        gateway.put("/demo/faults/{upstream}") { request in
            let upstream = try upstream(request)
            let visitor = try request.visitor()
            try faults.set(document: request.body, of: upstream, for: visitor)
            return .fragment(faults.list(of: upstream, for: visitor))
        }

        // The calls that the sample upstreams have received for a request, while it runs and shortly after.
        // The page chooses the request's `X-Request-Id`, which begins with `demo-`.
        gateway.get("/demo/calls/{id}") { request in
            .fragment(calls.list(of: try request.path("id", as: String.self)))
        }
    }

    private static func upstream(_ request: GatewayRequest) throws -> SampleUpstream {
        let name = try request.path("upstream", as: String.self)
        guard let upstream = SampleUpstream(rawValue: name) else {
            let known = SampleUpstream.allCases.map(\.rawValue).joined(separator: ", ")
            throw GatewayError.notFound(
                "No upstream \"\(name)\" has fault switches; these have: \(known)")
        }
        return upstream
    }
}
