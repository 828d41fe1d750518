import JSONBytes
import Networking
import Testing

extension InThirdBrowser {
    @Suite("What the page transfers", .timeLimit(.minutes(2)))
    struct TransferTests {
        /// What the browser measured of the latest request for a path.
        private struct Measured: Decodable {
            var encodedBodySize: Double
            var decodedBodySize: Double
        }

        private func measured(_ path: String, on page: Page) async throws -> Measured {
            try await page.run(
                """
                return performance.getEntriesByType("resource").map((entry) => entry.toJSON())
                  .findLast((entry) => new URL(entry.name).pathname === arguments[0]);
                """, [.text(path)], as: Measured.self)
        }

        @Test("Each screen shows its size and what compression saved, in both languages")
        func saved() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                for (screen, path) in [("home", "/api/home"), ("weights", "/api/weights/screen")] {
                    let size = page["#\(screen)-trace [data-size]"]
                    let said = try #require(
                        try await size.text.wholeMatch(
                            of: /([\d.]+) kB, sent as ([\d.]+) kB \(br\), (\d+)% saved/))
                    let measured = try await measured(path, on: page)
                    #expect(measured.encodedBodySize < measured.decodedBodySize)
                    #expect(abs((Double(said.1) ?? 0) * 1000 - measured.decodedBodySize) <= 50)
                    #expect(abs((Double(said.2) ?? 0) * 1000 - measured.encodedBodySize) <= 50)
                    let share = 100 * (1 - measured.encodedBodySize / measured.decodedBodySize)
                    #expect(abs((Double(said.3) ?? 0) - share) <= 0.5)
                    #expect(share >= 50)
                }
                try await page["#language input[value=ko]"].click()
                try await page["#home-trace [data-size]"].says("(br)로 전송")
                try await page["#home-trace [data-size]"].says("절약")
            }
        }

        @Test("Without a measurement the size stands alone")
        func unknown() async throws {
            try await withDemo { page, demo async throws in
                try await page.open(demo.origin, watchedBy: "performance.getEntriesByName = () => [];")
                try await page.ready()
                for screen in ["home", "weights"] {
                    let said = try await page["#\(screen)-trace [data-size]"].text
                    #expect(said.wholeMatch(of: /[\d.]+ kB/) != nil, "\(said)")
                }
            }
        }

        @Test("Without Sluice, the sizes of the page's own calls are added up")
        func direct() async throws {
            try await withDemo(path: "/#view=without") { page, _ async throws in
                try await page.ready()
                let caption = page["#home-trace caption"]
                try await caption.says("The page's own calls, each with a limit of 20 s that the page sets: ")
                let said = try await caption.text
                let kilobytes = try #require(
                    said.firstMatch(of: /: ([\d.]+) kB$/).flatMap { Double($0.1) }, "\(said)")
                // What the browser measured of the bodies themselves.
                let measured = try await page.run(
                    """
                    return performance.getEntriesByType("resource").filter(({ name }) => new URL(name).port !== location.port)
                      .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0);
                    """, as: Double.self)
                #expect(measured > 1000 && abs(kilobytes * 1000 - measured) <= 50)
            }
        }

        @Test("The user's picture comes through the gateway, in its place from the start")
        func picture() async throws {
            try await withDemo { page, demo async throws in
                try await page.ready()
                let picture = page["article[data-part=user] img"]
                #expect(
                    try await picture.property("src").stringValue
                        == "\(demo.origin)/images/GREEN/picture?visitor=\(page.visitor)")
                try await eventually("the picture is there") {
                    try await page.run(
                        """
                        const picture = document.querySelector("article[data-part=user] img");
                        return picture.complete && picture.naturalWidth === 96 && picture.clientWidth === 52;
                        """, as: Bool.self)
                }
                let loads = try await page.run(
                    """
                    return performance.getEntriesByType("resource").filter(({ name }) => name.includes("/images/"))
                      .map(({ transferSize }) => transferSize);
                    """, as: [Int].self)
                #expect(loads.count == 1 && loads.allSatisfy { $0 > 0 }, "\(loads)")
                // The name is beside it.
                #expect(try await picture.attribute("alt") == "")
                #expect(try await page.card("user").text.contains("Green Kim"))
            }
        }

        @Test(
            "If the picture fails, the first letter of the name takes its place, and the card stays as it is")
        func lostPicture() async throws {
            try await withDemo(expectedStatuses: [503]) { page, demo async throws in
                let place = "return document.querySelector('article[data-part=user]').clientHeight"
                try await page.ready()
                let before = try await page.run(place, as: Int.self)
                try await demo.setFault("status:503", of: "users", api: "picture")
                try await page.open(demo.origin, watchedBy: "")
                try await page.ready()
                try await page.cards(are: ["user": "there"])
                try await page["article[data-part=user] span.face"].says("G")
                #expect(try await page.count("article[data-part=user] img") == 0)
                #expect(try await page.run(place, as: Int.self) == before)
                expectNone(try await page.complaints(Look()))
            }
        }

        @Test("If the users fail, their card names the failure and shows no picture")
        func lostUser() async throws {
            try await withDemo { page, _ async throws in
                try await page.ready()
                try await page.breakUpstream("users", by: "drop")
                try await page.cards(are: ["user": "failed"])
                try await page.card("user").says("The user's profile is missing")
                #expect(try await page.count("article[data-part=user] :is(img, .face)") == 0)
                try await page.repair("users")
                try await page.cards(are: ["user": "there"])
                try await page["article[data-part=user] img"].appears()
            }
        }
    }
}
