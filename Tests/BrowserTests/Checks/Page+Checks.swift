import Foundation
import Networking

/// Checks that every page must pass. Each returns its complaints, none for a good page.
extension Page {
    /// WCAG 2.2, 1.4.3: text has enough contrast.
    func textContrastComplaints() async throws -> [String] { try await complaints("text-contrast") }

    /// WCAG 2.2, 1.4.11: fields and meaningful shapes have enough contrast.
    func shapeContrastComplaints() async throws -> [String] { try await complaints("shape-contrast") }

    /// WCAG 2.2, 1.4.1: the bars of a waterfall differ by pattern.
    func patternComplaints() async throws -> [String] { try await complaints("patterns") }

    /// WCAG 2.2, 2.5.8: targets are large enough or far enough apart.
    func targetComplaints() async throws -> [String] { try await complaints("targets") }

    /// WCAG 2.2, 1.4.10: the page does not scroll sideways, and no text is cut off.
    func overflowComplaints() async throws -> [String] { try await complaints("overflow") }

    /// Checks the language, title, headings, unique ids and references between elements.
    func structureComplaints(_ language: Look.Language) async throws -> [String] {
        try await complaints("structure", [.text(language.code)])
    }

    /// Checks that nothing moves if the user prefers reduced motion.
    func motionComplaints() async throws -> [String] { try await complaints("motion") }

    /// Returns the warnings and errors in the console.
    ///
    /// - Parameters:
    ///   - expectedStatuses: The statuses of failures that the test provokes. The browser logs each, and no
    ///     page can prevent it.
    ///   - upstreams: The origins of upstreams whose failures the test provokes, whatever they are.
    func consoleComplaints(
        expectedStatuses: Set<Int> = [], upstreams: [String] = []
    ) async throws -> [String] {
        try await console()
            .filter { ["WARNING", "SEVERE"].contains($0.level) }
            .filter { entry in
                if entry.source == "network", upstreams.contains(where: { entry.message.hasPrefix($0 + "/") })
                {
                    return false
                }
                guard entry.source == "network",
                    let status = entry.message.firstMatch(of: /status of (\d+)/).flatMap({ Int($0.1) })
                else { return true }
                return !expectedStatuses.contains(status)
            }
            .map { "\($0.level) of \($0.source): \($0.message)" }
    }

    /// Returns the requests to other origins.
    func foreignRequestComplaints(origins: [String]) async throws -> [String] {
        try await requests()
            .filter { request in
                !request.url.hasPrefix("data:") && !origins.contains { request.url.hasPrefix($0 + "/") }
            }
            .map { "\($0.method) \($0.url)" }
    }

    /// Runs the checks that apply to every state and look.
    func complaints(_ look: Look) async throws -> [String] {
        try await settle()
        return try await structureComplaints(look.language) + namingComplaints() + textContrastComplaints()
            + shapeContrastComplaints() + patternComplaints() + targetComplaints() + overflowComplaints()
    }

    /// Waits for animations to end: colors in transition would fail the contrast checks.
    func settle() async throws {
        try await run(
            """
            await document.fonts.ready;
            const ends = document.getAnimations()
              .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
              .map((animation) => animation.finished.catch(() => undefined));
            await Promise.all(ends);
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            """)
    }

    func complaints(_ script: String, _ arguments: ParameterValue = []) async throws -> [String] {
        try await run(
            CheckScript.text("common") + CheckScript.text(script), arguments, as: [String].self)
    }
}

enum CheckScript {
    struct Missing: Error { let name: String }

    static func text(_ name: String) throws -> String {
        guard let url = Bundle.module.url(forResource: "Scripts/\(name)", withExtension: "js") else {
            throw Missing(name: name)
        }
        return try String(contentsOf: url, encoding: .utf8)
    }
}
