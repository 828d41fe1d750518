import Networking
import Testing

extension InBrowser {
    @Suite("Loading the page", .timeLimit(.minutes(2)))
    struct LoadTests {
        /// The longer texts from the top, the others from where the page has the most to draw.
        private static let places = [(Look.Language.korean, "/"), (.english, "/#home-trace")]

        @Test(
            "On a slow connection the page paints within two seconds, nothing moves, and Korean starts as Korean",
            arguments: places)
        func slowly(language: Look.Language, path: String) async throws {
            try await withDemo(Look(device: .phone, language: language)) { page, demo async throws in
                try await page.loaded()
                try await page.connect(.slow)
                try await page.open(demo.origin + path, watchedBy: CheckScript.text("loading"))
                try await page.loaded()
                #expect(try await page.firstPaint <= 2000)
                expectNone(try await page.shiftComplaints())
                if language == .korean { expectNone(try await page.englishTexts()) }
            }
        }

        @Test("Without its scripts the Korean page shows its texts after a few seconds")
        func bound() async throws {
            try await withDemo(Look(language: .korean), expectedStatuses: [404]) { page, demo async throws in
                try await page.loaded()
                try await page.run("document.documentElement.setAttribute('data-untranslated', '')")
                try await page["#claim"].disappears(within: .seconds(2))
                try await page["#claim"].appears(within: .seconds(6))
            }
        }

        @Test(
            "Nothing moves on a phone while the page loads or a screen is reloaded",
            arguments: places)
        func stays(language: Look.Language, path: String) async throws {
            try await withDemo(Look(device: .phone, language: language)) { page, demo async throws in
                try await page.loaded()
                try await page.open(demo.origin + path, watchedBy: CheckScript.text("loading"))
                try await page.loaded()
                expectNone(try await page.shiftComplaints())
                try await demo.setFault("delay:1200", of: "diary")
                for screen in ["#weights", "#home"] {
                    try await page.run(
                        "document.querySelector(arguments[0]).click()", [.text("\(screen) [data-reload]")])
                    try await page.idle()
                }
                expectNone(try await page.shiftComplaints())
            }
        }

        @Test("All files of the page together have at most 55 KB", arguments: Look.Language.allCases)
        func weight(language: Look.Language) async throws {
            try await withDemo(Look(language: language)) { page, demo async throws in
                try await page.loaded()
                try await page.open(demo.origin, watchedBy: "")
                try await page.loaded()
                let sizes = try await page.run(
                    """
                    return ["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
                      .filter((entry) => !/^\\/(api|demo)\\//.test(new URL(entry.name).pathname))
                      .map((entry) => entry.encodedBodySize)
                    """, as: [Int].self)
                #expect(sizes.count > 20)
                #expect(sizes.reduce(0, +) <= 55_000, "\(sizes.reduce(0, +)) bytes")
            }
        }
    }
}

extension Page {
    /// The time of the first text or picture, in milliseconds since the page was requested.
    fileprivate var firstPaint: Double {
        get async throws {
            try await answer("the page has painted") {
                try await run(
                    "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null",
                    as: Double?.self)
            }
        }
    }

    /// The English texts that a visitor of the Korean page saw while it loaded.
    fileprivate func englishTexts() async throws -> [String] {
        try await run(
            "return [...english].map(([text, time]) => `after ${time} ms: ${text}`)", as: [String].self)
    }

    /// The layout shifts, if their sum (cumulative layout shift) is more than 0.02.
    fileprivate func shiftComplaints() async throws -> [String] {
        struct Shift: Decodable {
            var value: Double
            var nodes: [String]
        }
        try await settle()
        let shifts = try await run("return shifts", as: [Shift].self)
        guard shifts.map(\.value).reduce(0, +) > 0.02 else { return [] }
        return shifts.map { "\($0.nodes.joined(separator: ", ")) moved by \($0.value)" }
    }
}
