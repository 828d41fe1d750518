import Networking
import TestSupport
import Testing

extension InThirdBrowser {
    @Suite("Over https", .timeLimit(.minutes(3)))
    struct SecureTests {
        private static let hasCertutil = PeerProcess.find("certutil") != nil

        /// Runs `test` in a browser that trusts the authority of test certificates.
        private func withGateway(_ test: @Sendable (Page, SecureGateway) async throws -> Void) async throws {
            let gateway = try await SecureGateway(owner: "First")
            defer { gateway.stop() }
            let browser = try await Browser(trusting: TestAuthority.shared.pem)
            do {
                try await browser.withOwnPage(Look()) { page in try await test(page, gateway) }
            } catch {
                await browser.stop()
                throw error
            }
            await browser.stop()
        }

        private func address(_ page: Page) async throws -> String {
            try await page.run("return location.href", as: String.self)
        }

        private func text(_ page: Page) async throws -> String {
            try await page.run("return document.body.innerText", as: String.self)
        }

        @Test("The demo works over https, with the page's own calls to the sample upstreams")
        func demo() async throws {
            let demo = try await Demo(["--tls", "self-signed"])
            defer { demo.stop() }
            #expect(demo.origin.hasPrefix("https://"))
            let browser = try #require(SharedBrowser.current)
            // Nobody trusts its certificate.
            try await browser.withOwnPage(Look()) { page async throws in
                try await page.open(demo.origin + "/")
                #expect(try await text(page).contains("ERR_CERT_AUTHORITY_INVALID"))
            }
            try await browser.withOwnPage(Look(), acceptsEach: true) { page async throws in
                try await page.open(demo.origin + "/")
                try await page.ready()
                #expect(try await page.run("return isSecureContext", as: Bool.self))
                try await page.cards(are: [
                    "weights": "there", "weather": "there", "tags": "there", "user": "there",
                ])
                try await page.enter("66.6", at: "am")
                try await page.weight("am", is: 66.6)
                _ = try await page.requests()
                try await page["#mode input[value=without]"].click()
                try await page["#home-verdict"].says("to four services in three formats")
                try await page.idle()
                let urls = try await page.requests().map(\.url)
                let own = urls.filter { url in demo.upstreams.contains { url.hasPrefix($0 + "/") } }
                #expect(own.count == 6 && own.allSatisfy { $0.hasPrefix("https://") }, "\(urls)")
                try await page.cards(are: [
                    "weights": "there", "weather": "there", "tags": "there", "user": "there",
                ])
                expectNone(try await page.consoleComplaints())
                expectNone(
                    try await page.foreignRequestComplaints(origins: [demo.origin] + demo.upstreams))
            }
        }

        @Test(
            "A new connection shows the certificate of a reload",
            .enabled(if: hasCertutil, "certutil is not installed: make test-browser"))
        func renewal() async throws {
            try await withGateway { page, gateway async throws in
                let first = "https://app.test:\(gateway.port)/hello"
                try await page.open(first)
                #expect(try await text(page).contains("Hello"))
                #expect(
                    try await page.secureResponses().first { $0.url == first }
                        == Page.SecureResponse(url: first, subject: "First", version: "TLS 1.3"))
                try await gateway.renew(owner: "Second")
                // Another name, for which the browser has no connection.
                let second = "https://www.app.test:\(gateway.port)/hello"
                try await page.open(second)
                #expect(try await text(page).contains("Hello"))
                #expect(
                    try await page.secureResponses().first { $0.url == second }
                        == Page.SecureResponse(url: second, subject: "Second", version: "TLS 1.3"))
            }
        }

        @Test(
            "Plain HTTP is redirected, and after an answer over https the browser itself asks by https",
            .enabled(if: hasCertutil, "certutil is not installed: make test-browser"))
        func redirect() async throws {
            try await withGateway { page, gateway async throws in
                // Plain HTTP on the port of https, for a name whose policy the browser does not know.
                for name in ["app.test", "other.test"] {
                    try await page.open("http://\(name):\(gateway.port)/hello")
                    #expect(try await text(page).contains("This port speaks HTTPS"))
                }
                try await page.open("http://app.test:\(gateway.redirectPort)/hello?a=1")
                #expect(try await address(page) == "https://app.test:\(gateway.port)/hello?a=1")
                #expect(try await text(page).contains("Hello"))

                // Now the browser knows it.
                try await page.open("http://app.test:\(gateway.port)/hello?a=2")
                #expect(try await address(page) == "https://app.test:\(gateway.port)/hello?a=2")
                #expect(try await text(page).contains("Hello"))
                try await page.open("http://other.test:\(gateway.port)/hello")
                #expect(try await text(page).contains("This port speaks HTTPS"))
            }
        }
    }
}
