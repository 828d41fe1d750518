import TestSupport

/// A site with pages that are good or bad on purpose, to prove that the checks can fail.
final class HarnessSite: Sendable {
    private let server: ScriptedUpstream
    let origin: String

    /// - Parameters:
    ///   - pages: HTML by path.
    ///   - policy: The Content-Security-Policy of all pages.
    init(_ pages: [String: String], policy: String? = nil) throws {
        server = try ScriptedUpstream([
            .answer { request in
                let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                let body = pages[path]
                let head = [
                    body == nil ? "HTTP/1.1 404 Not Found" : "HTTP/1.1 200 OK",
                    "Content-Type: text/html; charset=utf-8", "Content-Length: \((body ?? "").utf8.count)",
                    policy.map { "Content-Security-Policy: \($0)" },
                ]
                return head.compactMap { $0 }.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
            }
        ])
        origin = "http://127.0.0.1:\(server.port)"
    }

    func stop() { server.stop() }

    /// Returns a page that passes all checks, apart from `content` and `style`.
    static func html(_ content: String, style: String = "", language: String = "en") -> String {
        """
        <!doctype html><html lang="\(language)"><meta charset="utf-8"><title>A page</title>
        <meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
        <style>body { font: 16px/1.5 sans-serif; color: #222; background: #fff } \(style)</style>
        <main><h1>A page</h1>\(content)</main></html>
        """
    }
}

func withHarness(
    _ content: String, style: String = "", language: String = "en", look: Look = Look(),
    _ test: @Sendable (Page, HarnessSite) async throws -> Void
) async throws {
    let site = try HarnessSite(["/": HarnessSite.html(content, style: style, language: language)])
    defer { site.stop() }
    try await withPage(look) { page async throws in
        try await page.open(site.origin + "/")
        try await test(page, site)
    }
}
