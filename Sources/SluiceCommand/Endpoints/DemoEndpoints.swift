import GatewayCore
import HTTPModel
import JSONBytes
import SampleUpstreams

/// The fault switches of the demo, which make a sample upstream fail, and the calls of a request that is under way.
enum DemoEndpoints {
    static func declare(on gateway: Gateway, faults: FaultBoard, calls: RecentCalls) {
        gateway.get("/demo/faults") { _ in
            var composer = JSONComposer()
            composer.beginObject()
            for upstream in SampleUpstream.allCases {
                composer.key(upstream.rawValue)
                composer.fragment(faults.list(of: upstream))
            }
            composer.endObject()
            return .fragment(composer.fragment())
        }

        gateway.get("/demo/faults/{upstream}") { request in
            .fragment(faults.list(of: try upstream(request)))
        }

        // The same body as for the sample upstreams' `PUT /faults`: {"api":"weights","fault":"delay:2000"}. Without
        // "api" the fault concerns the whole upstream.
        gateway.put("/demo/faults/{upstream}") { request in
            let upstream = try upstream(request)
            do throws(FaultError) {
                try faults.set(document: request.body, of: upstream)
            } catch {
                let text = error.description
                throw GatewayError.invalidRequest(text.prefix(1).uppercased() + text.dropFirst())
            }
            return .fragment(faults.list(of: upstream))
        }

        // The calls that the sample upstreams have received for a request, while it runs and shortly after. The page chooses
        // the request's `X-Request-Id`, which begins with `demo-`.
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
