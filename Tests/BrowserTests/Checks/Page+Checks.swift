import Foundation
import Networking

/// What a page has to hold, whatever it shows. Each check answers with complaints: none is the answer hoped for.
extension Page {
    /// WCAG 2.2, 1.4.3: text can be read.
    func textContrastComplaints() async throws -> [String] { try await complaints("text-contrast") }

    /// WCAG 2.2, 1.4.11: fields, and shapes that say something, can be seen.
    func shapeContrastComplaints() async throws -> [String] { try await complaints("shape-contrast") }

    /// WCAG 2.2, 2.5.8: what is to be hit is large enough, or far enough from others.
    func targetComplaints() async throws -> [String] { try await complaints("targets") }

    /// WCAG 2.2, 1.4.10: nobody scrolls in two directions, and no text is cut off.
    func overflowComplaints() async throws -> [String] { try await complaints("overflow") }

    /// Language, title, headings, and references from element to element.
    func structureComplaints(_ language: Look.Language) async throws -> [String] {
        try await complaints("structure", [.text(language.code)])
    }

    /// Nothing moves for who has asked for that.
    func motionComplaints() async throws -> [String] { try await complaints("motion") }

    /// The console says nothing to worry about.
    ///
    /// - Parameter expectedStatuses: answers of these statuses are what the test is about: the browser tells each as a failed
    ///   resource, which no page can prevent.
    func consoleComplaints(expectedStatuses: Set<Int> = []) async throws -> [String] {
        try await console()
            .filter { ["WARNING", "SEVERE"].contains($0.level) }
            .filter { entry in
                guard entry.source == "network",
                    let status = entry.message.firstMatch(of: /status of (\d+)/).flatMap({ Int($0.1) })
                else { return true }
                return !expectedStatuses.contains(status)
            }
            .map { "\($0.level) of \($0.source): \($0.message)" }
    }

    /// Nothing was asked of another host.
    func foreignRequestComplaints(origin: String) async throws -> [String] {
        try await requests()
            .filter { !$0.url.hasPrefix(origin + "/") && !$0.url.hasPrefix("data:") }
            .map { "\($0.method) \($0.url)" }
    }

    /// All of the above that hold at any time for any look, each named.
    func complaints(_ look: Look) async throws -> [String] {
        try await settle()
        // All of it in the window at once, so that what is at a place can be asked for.
        return try await structureComplaints(look.language) + namingComplaints() + textContrastComplaints()
            + shapeContrastComplaints() + targetComplaints() + overflowComplaints()
    }

    /// Waits until nothing moves: colors on their way are nobody's choice.
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

/// The scripts that measure, which lie beside the tests.
enum CheckScript {
    struct Missing: Error { let name: String }

    static func text(_ name: String) throws -> String {
        guard let url = Bundle.module.url(forResource: "Scripts/\(name)", withExtension: "js") else {
            throw Missing(name: name)
        }
        return try String(contentsOf: url, encoding: .utf8)
    }
}
