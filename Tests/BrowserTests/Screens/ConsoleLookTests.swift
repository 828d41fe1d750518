import Foundation
import HTTPModel
import JSONBytes
import Testing

extension InOtherBrowser {
    @Suite("The look of the console", .timeLimit(.minutes(3)))
    struct ConsoleLookTests {
        private static let looks = [
            Look(), Look(theme: .dark), Look(device: .phone), Look(device: .phone, theme: .dark),
            Look(device: .narrow, fontSize: 32), Look(forcesColors: true),
        ]

        @Test("The console is accessible before the first request and with failures", arguments: looks)
        func states(look: Look) async throws {
            try await withConsole(look: look, expectedStatuses: [502]) { page, demo async throws in
                try await page["[data-upstream=diary]"].appears()
                try await page["#no-requests"].appears()
                expectNone(try await page.complaints(look))
                try await page.expectNoneByAxe()
                try await page.fill(demo)
                expectNone(try await page.complaints(look))
                try await page.expectNoneByAxe()
            }
        }

        @Test("The page for the token and a gateway that is gone are accessible", arguments: looks.prefix(4))
        func withoutGateway(look: Look) async throws {
            let demo = try await Demo(admin: "127.0.0.1:0")
            try await withPage(look) { page async throws in
                do {
                    defer { demo.stop() }
                    try await page.open(try await demo.adminOrigin + "/")
                    try await page["[data-upstream=diary]"].appears()
                    try await page.fill(demo)
                }
                try await page["#state"].says("gone")
                expectNone(try await page.complaints(look))
                try await page.expectNoneByAxe()
                try await page.run(
                    "for (const id of ['gone', 'board']) document.getElementById(id).hidden = true;"
                        + "document.getElementById('sign-in').hidden = false;"
                        + "document.getElementById('token-said').textContent = 'This is not the admin token.'"
                )
                expectNone(try await page.complaints(look))
                try await page.expectNoneByAxe()
            }
        }

        @Test(
            "The keyboard reaches every control in order, with a visible focus",
            arguments: [Look(), Look(device: .phone, theme: .dark)])
        func keyboard(look: Look) async throws {
            try await withConsole(look: look, expectedStatuses: [502]) { page, demo async throws in
                try await page.fill(demo)
                expectNone(try await page.keyboardComplaints())
            }
        }

        @Test("The keyboard alone opens a waterfall, and new requests do not take its focus away")
        func keyboardAlone() async throws {
            try await withConsole(expectedStatuses: [502]) { page, demo async throws in
                try await demo.setFault("drop", of: "tags")
                try await demo.ask("/api/tags", ["X-Request-Id": "the-first"])
                try await page["[data-request=the-first]"].appears()
                try await page.tab(to: "[data-request=the-first] button")
                try await page.press(.enter)
                try await page["[data-request=the-first] + tr .calls"].appears()
                try await demo.ask("/api/home", ["X-Request-Id": "the-second"])
                try await page["[data-request=the-second]"].appears()
                let focus = "return document.activeElement.closest('tr')?.dataset.request ?? ''"
                #expect(try await page.run(focus, as: String.self) == "the-first")
                // Each row of the waterfall has its times as text.
                let rows = try await page.run(
                    """
                    return [...document.querySelectorAll("[data-request=the-first] + tr .attempt")].map((row) =>
                      [...row.querySelectorAll("th, td:not([aria-hidden])")].map((cell) => cell.textContent.trim()).join("|"));
                    """, as: [String].self)
                #expect(rows.count == 3)
                for row in rows {
                    #expect(
                        row.wholeMatch(
                            of: /tags GET \d\/3new 127\.0\.0\.1:\d+\|[\d.]+\|[\d.]+\|connection_terminated.*/)
                            != nil, "\(row)")
                }
                try await page.press(.space)
                try await page["[data-request=the-first] + tr .calls"].disappears()
            }
        }

        @Test("The colours follow the system until others are chosen, and stay chosen")
        func theme() async throws {
            try await withConsole(look: Look(theme: .dark)) { page, _ async throws in
                let dark = "return getComputedStyle(document.body).backgroundColor"
                let system = try await page.run(dark, as: String.self)
                try await page["#theme label:has([value=light])"].click()
                let light = try await page.run(dark, as: String.self)
                #expect(light != system)
                try await page.reload()
                try await page["#state"].says("live")
                #expect(try await page.run(dark, as: String.self) == light)
                #expect(try await page["#theme [value=light]"].property("checked").boolValue == true)
            }
        }
    }
}

extension Page {
    /// Makes a failed and a partial request, and opens the waterfall of the last one and an explanation.
    fileprivate func fill(_ demo: Demo) async throws {
        try await demo.setFault("drop", of: "tags")
        try await demo.ask("/api/tags")
        try await demo.ask("/api/home", ["X-Request-Id": "the-last"])
        try await self["[data-request=the-last] button"].click()
        try await self["[data-request=the-last] + tr .calls"].appears()
        try await self["#target"].fill("/api/home")
        try await press(.enter)
        try await self["#explained .calls"].appears()
        try await self["#route-rows tr"].appears()
        // Tab begins at the top again.
        try await run(
            """
            const start = document.createElement("span");
            start.tabIndex = -1;
            document.body.prepend(start);
            start.focus();
            start.remove();
            scrollTo(0, 0);
            """)
    }

    fileprivate func expectNoneByAxe() async throws {
        guard InOtherBrowser.AxeTests.script != nil else { return }
        expectNone(try await axeComplaints())
    }
}
