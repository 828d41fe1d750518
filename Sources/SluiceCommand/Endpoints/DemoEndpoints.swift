import Gateway
import HTTPModel
import JSONBytes
import SampleUpstreams

/// The switches of the demo: each sample upstream can be made to fail, so that one can see what the gateway makes of it.
enum DemoEndpoints {
    /// - Parameter faults: the switches by upstream name.
    static func declare(on gateway: Gateway, faults: [String: FaultBoard]) {
        gateway.get("/demo/faults/{upstream}") { request in
            .fragment(try board(request, faults).list)
        }

        // The body is that of the sample upstreams' own `PUT /faults`: {"api":"weights","fault":"delay:2000"}.
        gateway.put("/demo/faults/{upstream}") { request in
            let board = try board(request, faults)
            do throws(FaultError) {
                try board.set(document: request.body)
            } catch {
                throw GatewayError.invalidRequest(error.description)
            }
            return .fragment(board.list)
        }
    }

    private static func board(_ request: GatewayRequest, _ faults: [String: FaultBoard]) throws -> FaultBoard
    {
        let name = try request.path("upstream", as: String.self)
        guard let board = faults[name] else {
            let known = faults.keys.sorted().joined(separator: ", ")
            throw GatewayError.notFound(
                "there is no upstream \"\(name)\" with a fault switch; there is: \(known)")
        }
        return board
    }
}
