import Foundation
import Testing

extension InBrowser {
    @Suite("The first screen", .timeLimit(.minutes(2)))
    struct OpeningTests {
        private func text(_ path: String) throws -> String {
            let root = URL(fileURLWithPath: #filePath)
                .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        }

        @Test(
            "The endpoint in Swift and in YAML is that of the sources, and its command is one that works",
            arguments: [
                (Look(), "swift", "Sources/SluiceCommand/Endpoints/HomeEndpoint.swift", "make demo"),
                (
                    Look(theme: .dark, language: .korean), "yaml", "docker/examples/diary.yaml",
                    "make run ARGS=\"serve --config docker/examples/diary.yaml\""
                ),
            ])
        func sample(look: Look, form: String, file: String, command: String) async throws {
            let source = try text(file).split(whereSeparator: \.isWhitespace).joined()
            try await withDemo(look) { page, _ async throws in
                try await page.ready()
                try await page["#form input[value=\(form)]"].click()
                let shown = try await page[".sample pre"].text
                let lines = shown.split(separator: "\n")
                #expect(try await page[".command"].text.hasSuffix(": \(command)"))
                #expect((4...5).contains(lines.count))
                for piece in lines.flatMap({ $0.split(separator: "…") }) {
                    #expect(source.contains(piece.split(whereSeparator: \.isWhitespace).joined()), "\(piece)")
                }
                expectNone(try await page.complaints(look))
            }
        }

        @Test(
            "The first screen shows the claim, the endpoint, the tour and the whole picture with the bars of all calls",
            arguments: [Look(), Look(theme: .dark, language: .korean)])
        func firstScreen(look: Look) async throws {
            try await withDemo(look) { page, _ async throws in
                try await page.resize(.desktop, height: 900)
                try await page.idle()
                try await page.cards(are: ["weights": "there", "tags": "there"])
                let places = try await page.run(
                    """
                    return ["#claim", ".sample pre", "#tour", "[data-lane=recent] i", "[data-lane=tags] i"].map((name) =>
                      Math.round(document.querySelector(name).getBoundingClientRect().bottom));
                    """, as: [Int].self)
                #expect(places.allSatisfy { $0 <= 900 }, "\(places)")
                #expect(try await page.count(".trace-details[open]") == 0)
                #expect(try await page.count("#flow [data-lane] i") >= 6)
            }
        }

        @Test("The link that a button copies opens the same screen")
        func link() async throws {
            try await withDemo(expectedStatuses: [503]) { page, _ async throws in
                try await page.ready()
                try await page.permit("clipboard-read")
                try await page.permit("clipboard-write")
                try await page.breakUpstream("diary", by: "status:503")
                try await page.cards(are: ["weights": "failed"])
                try await page["#mode input[value=without]"].click()
                try await page.card("weights").says("HTTP 503")
                try await page["#link"].click()
                try await page["#link"].says("Link copied")
                let link = try await page.run("return await navigator.clipboard.readText()", as: String.self)
                #expect(link.contains("fault=diary:status:503") && link.contains("view=without"))
                try await page["#repair"].click()
                try await page.cards(are: ["weights": "there"])
                try await page.open("about:blank")
                try await page.open(link)
                try await page.card("weights").says("HTTP 503")
                #expect(try await page["[data-fault-kind=diary]"].value == "status:503")
            }
        }
    }
}
