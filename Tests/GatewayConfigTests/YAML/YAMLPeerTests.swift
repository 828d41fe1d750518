import Testing

@testable import GatewayConfig

@Suite(
    "Values are those of ruamel.yaml, which reads YAML 1.2",
    .enabled(if: PythonTools.areInstalled, Comment(rawValue: PythonTools.missing)))
struct YAMLPeerTests {
    /// Prints each document as JSON on a line, in the spelling of `Composed`.
    private static let program = """
        import json, sys
        from ruamel.yaml import YAML
        for text in json.load(sys.stdin):
            value = YAML(typ="safe", pure=True).load(text)
            print(json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
        """

    private func compare(_ texts: [String]) throws {
        let list =
            "[" + texts.map { Composed.json(YAMLScalar(text: $0, style: .quoted)) }.joined(separator: ",")
            + "]"
        let (code, output) = try PythonTools.run(["-c", Self.program], input: list)
        #expect(code == 0, "\(output)")
        let expected = output.split(separator: "\n").map(String.init)
        #expect(texts.map { Composed($0).json ?? "nothing" } == expected)
    }

    @Test("Scalars have the same types")
    func scalars() throws {
        // ruamel.yaml also takes 1_000, 0b11 and dates for their YAML 1.1 values, against the core schema.
        try compare([
            "a: 12", "a: 012", "a: 0o14", "a: 0x1F", "a: -3", "a: +3", "a: 1.5", "a: -0.25", "a: yes",
            "a: no", "a: on", "a: Off", "a: y", "a: ~", "a: null", "a:", "a: true", "a: FALSE", "a: '12'",
            "a: \"x\\ny\"", "a: |\n  x\n  y\n", "a: >-\n  x\n  y\n", "a: 1:30", "a: x#y", "a: x #y", "a: 5s",
            "a: 64KiB", "a: 'it''s'", "a: http://h:80/p?q=1", "a: '{b}'", "a: - 1".replacing("a: ", with: ""),
        ])
    }

    @Test("Aliases and merges give the same members")
    func merges() throws {
        // Its order of merged members is another one, so both sort them.
        try compare([
            "a: &x {p: 1}\nb: *x", "a: &x {p: 1, q: 2}\nb: {<<: *x, r: 3}",
            "a: &x {p: 1}\nb: &y {p: 9, q: 2}\nc: {<<: [*x, *y], s: 4}",
            "a: &x {p: 1}\nb: &y {<<: *x, q: 2}\nc: {<<: *y}", "a: &x [1, 2]\nb: [*x, *x]",
        ])
    }
}
