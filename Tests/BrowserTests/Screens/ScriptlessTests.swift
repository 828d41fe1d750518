import Testing

extension InOtherBrowser {
    @Suite("The page without scripts", .timeLimit(.minutes(2)))
    struct ScriptlessTests {
        @Test(
            "Without scripts the page says what Sluice is and how to send its requests, and shows nothing else",
            arguments: [Look(), Look(device: .phone, theme: .dark)])
        func scriptless(look: Look) async throws {
            try await withDemo(look) { page, demo async throws in
                try await page.enableScripts(false)
                try await page.reload()
                let text = try await page["body"].text
                #expect(text.contains("Sluice is a backend-for-frontend gateway."))
                #expect(text.contains("curl -i \"$PAGE/api/home\""))
                #expect(text.contains("curl -i \"$PAGE/api/weights/screen?fddDate=$(date +%F)\""))
                // A port would be wrong at another one.
                #expect(!text.contains("8080"))
                #expect(try await page["[lang=ko] h2"].text == "화면 하나에 요청 하나. 모든 실패에 이름을.")
                expectNone(try await page.complaints("scriptless"))
                expectNone(
                    try await page.structureComplaints(.english) + page.namingComplaints()
                        + page.textContrastComplaints() + page.overflowComplaints())
                try await page.enableScripts(true)
            }
        }
    }
}
