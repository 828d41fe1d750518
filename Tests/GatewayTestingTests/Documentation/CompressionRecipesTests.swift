import GatewayCore
import GatewayHTTP
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

/// Compiles and runs the recipes about compressed answers.
@Suite("The recipes for compressed answers")
struct CompressionRecipesTests {
    private let upstreams = StubUpstreams()

    func declareSearch(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/account/search", .compression(false)) { request in
            let term = try request.query("term", as: String.self)
            return .parts(
                term: term, token: "c2VjcmV0",
                products: catalog.rx.request(.product(7)).fragment())
        }
    }

    func configuration(compresses: Bool) -> GatewayServerConfiguration {
        var configuration = GatewayServerConfiguration()
        configuration.compression?.minimumSize = 4096
        if !compresses { configuration.compression = nil }
        return configuration
    }

    @Test("An endpoint whose answers have secrets is not compressed, others are", arguments: [true, false])
    func search(compresses: Bool) async throws {
        upstreams["catalog"].on(.get, "/products/7").answer(
            json: #"{"name":"\#(String(repeating: "lamp ", count: 1000))"}"#)
        try await withGateway(
            upstreams: upstreams, configuration: configuration(compresses: compresses),
            declare: { gateway in
                declareSearch(on: gateway)
                gateway.get("/other") { _ in .text(String(repeating: "lamp ", count: 1000)) }
            }
        ) { client in
            let search = try await client.send(
                .get, "/account/search?term=lamp", [.acceptEncoding: "gzip"])
            #expect(search.fields[.contentEncoding] == nil)
            #expect(search.body.count > 5000)
            let other = try await client.send(.get, "/other", [.acceptEncoding: "gzip"])
            // The client has decoded it already.
            #expect(other.fields[.vary] == (compresses ? "Accept-Encoding" : nil))
        }
    }
}

/// Products.
enum CatalogAPI: TargetType {
    case product(Int)

    var baseURL: String { "http://catalog.internal" }

    var path: RequestPath {
        switch self {
        case .product(let id): "/products/\(id)"
        }
    }
}
