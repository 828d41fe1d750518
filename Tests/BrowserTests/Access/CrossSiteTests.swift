import JSONBytes
import Networking
import Testing

extension InThirdBrowser {
    @Suite("Pages of another site, and of an own one", .timeLimit(.minutes(2)))
    struct CrossSiteTests {
        private struct Answer: Decodable, Equatable {
            var status: Int
            var fields: [String: String?]
            var code: String?
        }

        /// Sends a request from the page. `null` if the browser keeps the answer from the page.
        private static let ask = """
            const [url, method, mode] = arguments;
            try {
              const answer = await fetch(url, {method, mode, credentials: "include"});
              const names = ["Retry-After", "RateLimit", "RateLimit-Policy"];
              const fields = Object.fromEntries(names.map((name) => [name, answer.headers.get(name)]));
              const text = await answer.text();
              return {status: answer.status, fields, code: text ? JSON.parse(text).code : null};
            } catch {
              return null;
            }
            """

        private func ask(
            _ page: Page, _ url: String, _ method: String = "GET", mode: String = "cors"
        ) async throws -> Answer? {
            try await page.run(Self.ask, [.text(url), .text(method), .text(mode)], as: Answer?.self)
        }

        private func withGateway(_ test: @Sendable (Page, CookieGateway) async throws -> Void) async throws {
            let gateway = try await CookieGateway()
            defer { gateway.stop() }
            try await withPage { page async throws in
                try await page.open(gateway.ownPage + "/")
                // The browser sends this cookie with requests of other sites, too.
                try await page.run("document.cookie = 'session=kim; SameSite=None; Secure'")
                try await test(page, gateway)
            }
        }

        @Test("A page of another site can neither write with the user's cookie nor read")
        func otherSite() async throws {
            try await withGateway { page, gateway async throws in
                try await page.open(gateway.otherPage + "/")
                #expect(try await ask(page, gateway.origin + "/me") == nil)
                #expect(try await ask(page, gateway.origin + "/orders", "POST") == nil)
                // The browser sends this without a preflight, and shows the page nothing of the answer.
                let hidden = try await ask(page, gateway.origin + "/orders", "POST", mode: "no-cors")
                #expect(hidden?.status == 0)
                #expect(gateway.writes == [])
                // So the cookie came along, and only the check kept the write out.
                _ = try await ask(page, gateway.origin + "/hooks", "POST", mode: "no-cors")
                #expect(gateway.writes == ["/hooks"], "\(gateway.log)")
            }
        }

        @Test("A form of another site cannot write with the user's cookie")
        func form() async throws {
            try await withGateway { page, gateway async throws in
                try await page.open(gateway.otherPage + "/")
                try await page.run(
                    """
                    const form = document.createElement("form");
                    form.method = "post";
                    form.action = arguments[0];
                    document.body.append(form);
                    form.submit();
                    """, [.text(gateway.origin + "/orders")])
                try await eventually("the browser shows the refusal") {
                    try await page.run("return document.body.innerText", as: String.self).contains(
                        "FORBIDDEN")
                }
                #expect(gateway.writes == [])
            }
        }

        @Test("A page of its own reads and writes with the cookie")
        func ownSite() async throws {
            try await withGateway { page, gateway async throws in
                #expect(try await ask(page, gateway.origin + "/me")?.status == 200)
                #expect(try await ask(page, gateway.origin + "/orders", "POST")?.code == "OK")
                #expect(gateway.writes == ["/orders"])
            }
        }

        @Test("A page of its own reads a 429 and its fields")
        func limit() async throws {
            try await withGateway { page, gateway async throws in
                let url = gateway.origin + "/news"
                for remaining in [1, 0] {
                    let served = try await ask(page, url)
                    #expect(served?.status == 200)
                    #expect(served?.fields["RateLimit"]??.hasPrefix("\"few\";r=\(remaining);") == true)
                }
                let refused = try #require(try await ask(page, url))
                #expect(refused.status == 429)
                #expect(refused.code == "TOO_MANY_REQUESTS")
                #expect(refused.fields["RateLimit-Policy"] == "\"few\";q=2;w=60")
                let seconds = try #require(refused.fields["Retry-After"].flatMap { $0 }.flatMap { Int($0) })
                #expect((1...30).contains(seconds))
                #expect(refused.fields["RateLimit"] == "\"few\";r=0;t=\(seconds)")
            }
        }
    }
}
