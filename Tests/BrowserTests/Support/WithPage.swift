import Foundation
import Testing

/// Starts one browser for all tests of a suite, because a start takes longer than most tests.
struct SharedBrowser: SuiteTrait, TestScoping {
    @TaskLocal static var current: Browser?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let browser = try await Browser()
        let result = await Self.$current.withValue(browser) {
            do { return Result<Void, any Error>.success(try await function()) } catch {
                return .failure(error)
            }
        }
        await browser.stop()
        try result.get()
    }
}

/// Runs `test` in a window of the suite's browser. If it throws, a screenshot of the window is attached.
func withPage(_ look: Look = Look(), _ test: @Sendable (Page) async throws -> Void) async throws {
    let browser = try #require(SharedBrowser.current)
    try await browser.withPage(look) { page in
        do {
            try await test(page)
        } catch {
            if let picture = try? await page.screenshot() {
                Attachment.record([UInt8](picture), named: "window.png")
            }
            throw error
        }
    }
}

/// Runs `test` on the page of a fresh demo, then expects no complaints in the console and no requests to
/// other hosts.
func withDemo(
    _ look: Look = Look(), path: String = "/", expectedStatuses: Set<Int> = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ test: @Sendable (Page, Demo) async throws -> Void
) async throws {
    let demo = try await Demo()
    defer { demo.stop() }
    try await withPage(look) { page async throws in
        try await page.open(demo.origin + path)
        try await test(page, demo)
        expectNone(
            try await page.consoleComplaints(expectedStatuses: expectedStatuses, upstreams: demo.upstreams),
            sourceLocation: sourceLocation)
        expectNone(
            try await page.foreignRequestComplaints(origins: [demo.origin] + demo.upstreams),
            sourceLocation: sourceLocation)
    }
}

func expectNone(_ complaints: [String], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))", sourceLocation: sourceLocation)
}
