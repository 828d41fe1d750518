import Foundation
import Testing

extension InBrowser {
    /// Takes the README's pictures and others to review when the page changes. Only `make screenshots` runs
    /// it.
    @Suite(
        "Pictures of the page", .timeLimit(.minutes(2)),
        .enabled(if: Pictures.folder != nil, "only `make screenshots` sets their folder"))
    struct ScreenshotTests {
        enum State: String, Sendable {
            case there
            /// The weather drops its connections, and the tags are empty.
            case fault
            /// The diary fails, and with it the whole screen.
            case failure
            /// The form rejects a weight.
            case form
            /// The weather drops its connections, and the page calls the upstreams itself.
            case without
        }

        @Test(
            "A picture of the page is taken in each state",
            arguments: [
                (Look(), State.fault), (Look(theme: .dark, language: .korean), .fault), (Look(), .there),
                (Look(language: .korean), .form), (Look(theme: .dark), .failure), (Look(), .without),
                (Look(device: .phone, language: .korean), .there), (Look(device: .phone), .failure),
                (Look(device: .phone, theme: .dark), .fault), (Look(device: .phone, theme: .dark), .without),
            ])
        func picture(look: Look, state: State) async throws {
            let folder = try #require(Pictures.folder)
            try await withDemo(look, expectedStatuses: [503]) { page, _ async throws in
                try await page.ready()
                try await show(state, on: page)
                try await page.settle()
                let picture = try await picture(of: page, look.device, state)
                let name = "\(look.device)-\(look.theme)-\(look.language.code)-\(state).png"
                try picture.write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
            }
        }

        @Test(
            "A picture of the console is taken in each theme",
            arguments: [Look(), Look(theme: .dark), Look(device: .phone)])
        func console(look: Look) async throws {
            let folder = try #require(Pictures.folder)
            try await withConsole(look: look, latency: "on") { page, demo async throws in
                try await page.visit(demo)
                try await page.settle()
                let picture = try await page.screenshot(
                    from: "body", height: look.device == .phone ? 2400 : 1300, look.device,
                    pixelRatio: look.device == .phone ? 2 : 1)
                let name = "console-\(look.device)-\(look.theme).png"
                try picture.write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
            }
        }

        /// Returns a picture: of the window for the form, of 1500 pixels from the stage on a phone, of the
        /// home screen for the README, else of the whole page.
        private func picture(of page: Page, _ device: Look.Device, _ state: State) async throws -> Data {
            switch (device, state) {
            case (_, .form): try await page.screenshot()
            case (.phone, .there):
                try await page.screenshot(from: "body", height: 1500, device, pixelRatio: 2)
            case (.phone, _): try await page.screenshot(from: "#stage", height: 1500, device, pixelRatio: 2)
            case (_, .fault): try await page.screenshot(from: "body", height: 1240, device, pixelRatio: 1)
            default: try await page.screenshot(from: "body", device, pixelRatio: 1)
            }
        }

        private func show(_ state: State, on page: Page) async throws {
            switch state {
            case .there:
                break
            case .fault:
                try await page.breakUpstream("tags", by: "status:204")
                try await page.cards(are: ["tags": "empty"])
                try await page.breakUpstream("weather", by: "drop")
                try await page.cards(are: ["weather": "failed", "user": "there"])
            case .failure:
                try await page.breakUpstream("diary", by: "status:503")
                try await page.cards(are: ["weights": "failed", "weather": "held"])
            case .without:
                try await page["#mode input[value=without]"].click()
                try await page.breakUpstream("weather", by: "drop")
                try await page.card("weather").says("Failed to fetch")
            case .form:
                try await page["#halves [data-change=pm]"].click()
                try await page["#entry-weight"].fill("725")
                try await page["#entry [type=submit]"].click()
                try await page["#entry-error"].appears()
            }
            try await page.run("document.activeElement.blur(); scrollTo(0, 0)")
        }
    }
}

extension Page {
    /// Sends requests for half a minute, some of which fail or are slow, and opens a waterfall.
    fileprivate func visit(_ demo: Demo) async throws {
        let paths = ["/api/home", "/api/tags", "/api/users/GREEN", "/api/home", "/api/weather?nx=60&ny=127"]
        for round in 0..<150 {
            switch round {
            case 60: try await demo.setFault("drop", of: "tags")
            case 66: try await demo.setFault("none", of: "tags")
            case 90: try await demo.setFault("flaky:2", of: "diary", api: "weights")
            case 120: try await demo.setFault("delay:1200", of: "weather")
            default: break
            }
            try await demo.ask(paths[round % paths.count])
        }
        try await self["#request-rows button"].click()
        try await self["#request-rows .calls"].appears()
        try await run("document.activeElement.blur(); scrollTo(0, 0)")
    }
}

private enum Pictures {
    static var folder: String? { ProcessInfo.processInfo.environment["BROWSER_TESTS_SCREENSHOTS"] }
}
