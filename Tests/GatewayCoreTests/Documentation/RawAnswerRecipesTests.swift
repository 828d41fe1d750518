import GatewayCore
import Networking
import Rx
import RxTesting
import Testing

/// Compiles and runs the recipe about text, bytes and redirects.
@Suite("The recipe for answers that are not JSON", .noLeaks)
struct RawAnswerRecipesTests {
    private let bench = Bench()

    @Test("Answers that are not JSON have no envelope")
    func raw() throws {
        let gateway = bench.gateway
        let logo = Array("<svg/>".utf8)
        gateway.get("/robots.txt") { _ in .text("User-agent: *").field(.cacheControl, "max-age=3600") }
        gateway.get("/logo") { _ in .raw(logo, contentType: "image/svg+xml") }
        gateway.get("/start") { _ in .redirect(to: "/products?page=1", status: .permanentRedirect) }
        #expect(try bench.answer(.get, "/robots.txt").body == "User-agent: *")
        #expect(try bench.answer(.get, "/logo").fields[.contentType] == "image/svg+xml")
        #expect(try bench.answer(.get, "/start").status == 308)
    }
}
