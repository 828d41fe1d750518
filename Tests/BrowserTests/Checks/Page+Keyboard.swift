import Networking

extension Page {
    /// WCAG 2.2, 2.1.1, 2.1.2, 2.4.3, 2.4.7 and 2.4.11: by Tab alone one reaches each control, in the order of the document, sees
    /// where one is, and comes out at the end.
    func keyboardComplaints() async throws -> [String] {
        let expected = try await run(
            CheckScript.text("common") + CheckScript.text("tab-stops"), as: [String].self)
        var complaints: [String] = []
        var visited: [String] = []
        try await run(
            "document.activeElement?.blur(); window.scrollTo(0, 0); getSelection().removeAllRanges();")
        while visited.count <= expected.count + 2 {
            try await press(.tab)
            let stop = try await run(Self.currentStop, as: String?.self)
            guard let stop else { break }
            guard visited.isEmpty || stop != visited[0] else { break }
            visited.append(stop)
            complaints += try await self.complaints("focus-looks")
        }
        for stop in expected where !visited.contains(stop) { complaints.append("Tab does not reach \(stop)") }
        if visited != visited.filter(expected.contains) {
            complaints.append("Tab stops at \(visited.filter { !expected.contains($0) })")
        } else if visited != expected.filter(visited.contains) {
            complaints.append("Tab goes \(visited), the document \(expected)")
        }
        return complaints
    }

    /// The mark that `tab-stops` has given; nil where the page as a whole has the focus.
    private static let currentStop = """
        const element = document.activeElement;
        if (!element || element === document.body || element === document.documentElement) return null;
        return element.tabStop ?? `an element that is no control: ${element.outerHTML.slice(0, 80)}`;
        """
}
