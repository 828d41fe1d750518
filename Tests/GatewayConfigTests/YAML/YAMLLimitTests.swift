import Testing

@testable import GatewayConfig

@Suite("F4: The size of a file's values is bounded")
struct YAMLLimitTests {
    private func nested(_ levels: Int, _ inner: String = "1") -> String {
        String(repeating: "[", count: levels) + inner + String(repeating: "]", count: levels)
    }

    @Test("32 levels are read, and reading stops at the 33rd")
    func levels() {
        #expect(Composed(nested(32)).problems.isEmpty)
        let message = "1:33: more than 32 levels of lists and mappings"
        #expect(Composed(nested(33)).problems == [message])
        // The rest, a syntax error, is not reached.
        #expect(Composed(String(repeating: "[", count: 1_000_000)).problems == [message])
    }

    @Test("The levels of an alias count where it is used")
    func levelsOfAliases() {
        let anchors = "a: &a \(nested(20))\n"
        #expect(Composed(anchors + "b: \(nested(11, "*a"))\n").problems.isEmpty)
        #expect(
            Composed(anchors + "b: \(nested(12, "*a"))\n").problems == [
                "2:16: more than 32 levels of lists and mappings, with those of *a"
            ])
    }

    @Test("Values and names count, with each use of an anchor")
    func nodes() {
        let text = "a: &a [1, 2]\nb: *a\n"
        #expect(Composed(text).nodeCount == 9)
        #expect(Composed(text, limits: YAMLLimits(nodes: 9)).problems.isEmpty)
        #expect(
            Composed(text, limits: YAMLLimits(nodes: 8)).problems == [
                "2:4: more than 8 values, with each use of an anchor counted"
            ])
    }

    @Test("A billion laughs stop before they are built")
    func billionLaughs() {
        var text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
        for level in 1...12 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        let composed = Composed(text)
        #expect(composed.problems == ["6:45: more than 1000000 values, with each use of an anchor counted"])
        #expect(composed.root == nil)
    }

    @Test("Merges count like the members they copy")
    func mergedMembers() {
        let members = (0..<1000).map { "m\($0): 1" }.joined(separator: ", ")
        let merges = (0..<1000).map { "b\($0): {<<: *a}\n" }.joined()
        let composed = Composed("a: &a {\(members)}\n" + merges)
        #expect(
            composed.problems.first?.hasSuffix("more than 1000000 values, with each use of an anchor counted")
                == true)
    }
}
