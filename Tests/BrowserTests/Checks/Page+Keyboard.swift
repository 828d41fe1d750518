import Foundation
import Networking

extension Page {
    /// WCAG 2.2, 2.1.1, 2.1.2, 2.4.3, 2.4.7 and 2.4.11: by Tab alone one reaches each control, in the order of the document, sees
    /// where one is, and comes out at the end.
    func keyboardComplaints() async throws -> [String] {
        let expected = try await run(
            CheckScript.text("common") + CheckScript.text("tab-stops"), as: [String].self)
        var complaints: [String] = []
        var visited: [String] = []
        try await run("document.activeElement?.blur(); scrollTo(0, 0); getSelection().removeAllRanges()")
        // A date's field is several stops: day, month, year and its calendar.
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

    /// Of the element that has the focus. Whether that shows is seen in two pictures, one with the focus and one without.
    private func focusComplaints() async throws -> [String] {
        let focus = try await run(
            CheckScript.text("common") + CheckScript.text("focus-looks"), as: Focus.self)
        try await settle()
        let focused = try await picture(of: focus)
        // It stays the element that Tab goes on from.
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

    /// The mark that `tab-stops` has given; nil where the page as a whole has the focus.
    private static let currentStop = """
        const element = document.activeElement;
        if (!element || element === document.body || element === document.documentElement) return null;
        return element.tabStop ?? `an element that is no control: ${element.outerHTML.slice(0, 80)}`;
        """
}
