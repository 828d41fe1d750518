import Foundation
import Networking

extension Page {
    /// WCAG 2.2, 2.1.1, 2.1.2, 2.4.3, 2.4.7 and 2.4.11: Tab reaches each control in document order, the focus
    /// is visible, and Tab leaves the page at the end.
    func keyboardComplaints() async throws -> [String] {
        let expected = try await run(
            CheckScript.text("common") + CheckScript.text("tab-stops"), as: [String].self)
        var complaints: [String] = []
        var visited: [String] = []
        try await run("document.activeElement?.blur(); scrollTo(0, 0); getSelection().removeAllRanges()")
        // A date field has several stops: day, month, year and calendar.
        for _ in 0..<(expected.count * 2 + 8) {
            try await press(.tab)
            guard let stop = try await run(Self.currentStop, as: String?.self) else { break }
            guard stop != visited.last else { continue }
            guard stop != visited.first else { break }
            visited.append(stop)
            complaints += try await focusComplaints()
        }
        complaints += expected.filter { !visited.contains($0) }.map { "Tab does not reach \($0)" }
        complaints += visited.filter { !expected.contains($0) }.map { "Tab stops at \($0)" }
        let reached = expected.filter(visited.contains)
        if visited.filter(expected.contains) != reached {
            complaints.append("Tab goes \(visited), the document \(reached)")
        }
        return complaints
    }

    private struct Focus: Decodable {
        var name: String
        var complaints: [String]
        var x: Double
        var y: Double
        var width: Double
        var height: Double
    }

    /// Checks the focused element. Its screenshots with and without the focus must differ.
    private func focusComplaints() async throws -> [String] {
        let focus = try await run(
            CheckScript.text("common") + CheckScript.text("focus-looks"), as: Focus.self)
        try await settle()
        let focused = try await picture(of: focus)
        // Tab still continues from this element.
        try await run("window.lastFocus = document.activeElement; lastFocus.blur()")
        try await settle()
        let blurred = try await picture(of: focus)
        try await run("lastFocus.focus({preventScroll: true, focusVisible: true})")
        return focus.complaints
            + (focused == blurred ? ["\(focus.name) looks the same with the focus"] : [])
    }

    private func picture(of focus: Focus) async throws -> Data {
        try await screenshot(x: focus.x, y: focus.y, width: focus.width, height: focus.height)
    }

    /// The mark that `tab-stops` set on the focused element; null if the page itself has the focus.
    private static let currentStop = """
        const element = document.activeElement;
        if (!element || element === document.body || element === document.documentElement) return null;
        return element.tabStop ?? `an element that is not a control: ${element.outerHTML.slice(0, 80)}`;
        """
}
