import Testing

@testable import GatewayConfig

@Suite("Errors of YAML's syntax say what to do")
struct YAMLSyntaxTests {
    @Test(
        "An error has libyaml's line and column, and a hint",
        arguments: [
            ("a:\n\tb: 1\n", "2:1: a tab cannot indent; use spaces"),
            ("a: @x\n", "1:4: a value that begins with @ needs quotes"),
            (
                "a:\n  b: 1\n c: 2\n",
                "3:2: while parsing a block mapping from line 1: did not find expected key; "
                    + "names and dashes of one block begin in the same column"
            ),
            (
                "날: b: c\n",
                "1:5: a colon and a space begin the value of a name, which cannot begin here; "
                    + "quote a text that contains them, or indent names alike"
            ),
            (
                "a: {get: /users/{path.id}}\n",
                "1:17: quote \"/users/{path.id}\": unquoted braces begin a mapping in YAML"
            ),
            (
                "a: [${PORT}]\n",
                "1:6: quote \"${PORT}\": unquoted braces begin a mapping in YAML; "
                    + "a number from a variable goes on a line of its own, without quotes"
            ),
            ("a: [é{x.y}]\n", "1:6: quote \"é{x.y}\": unquoted braces begin a mapping in YAML"),
            (
                "a: {b: 1\nc: 2",
                "2:2: a comma or } is missing before this, in the mapping that begins in line 1"
            ),
            ("a: [b\nc: 2", "2:2: a comma or ] is missing before this, in the list that begins in line 1"),
            ("a: \"x\n", "2:1: the quotes that open in line 1 are not closed"),
            ("a: *.b\n", "1:5: * begins an alias in YAML; quote a text that begins with it"),
            ("a: &.b\n", "1:5: & begins an anchor in YAML; quote a text that begins with it"),
            (
                "a:\n\u{A0} b: 1\n  c: 2\n",
                "3:4: line 2 is indented with a no-break space (U+00A0); write usual spaces"
            ),
            ("a: {b: \u{201C}{x.y}\u{201D}}\n", "1:9: \u{201C} and \u{201D} are no quotes; write \""),
        ])
    func messages(text: String, problem: String) {
        #expect(Composed(text).problems == [problem])
    }

    @Test("Problems before a syntax error are told, too")
    func earlierProblems() {
        #expect(
            Composed("a: 1\na: 2\nb: @\n").problems == [
                "2:1: the name \"a\" is repeated; its first place is line 1",
                "3:4: a value that begins with @ needs quotes",
            ])
    }

    @Test("Bytes that are no UTF-8 are found where they are")
    func encoding() {
        #expect(
            Composed(Array("a: 1\né: ".utf8) + [0xFF]).problems == [
                "2:4: invalid leading UTF-8 octet; the file is not UTF-8"
            ])
        #expect(Composed("a: \u{1}").problems == ["1:4: control characters are not allowed"])
    }

    @Test("An error at the end of a file without a last line break is in its last line")
    func endOfFile() {
        let message = "line 2 is not of the form NAME: VALUE, with a blank after the colon"
        #expect(Composed("a: 1\nverse").problems == ["2:6: \(message)"])
        #expect(Composed("a: 1\nverse\n").problems == ["3:1: \(message)"])
    }

    @Test(
        "Each line break of YAML begins a line, for characters and for the syntax",
        arguments: ["\n", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}"])
    func lineBreaks(lineBreak: String) {
        #expect(
            Composed("a: 1\(lineBreak)b: \u{1}").problems == ["2:4: control characters are not allowed"])
        #expect(Composed("a: 1\(lineBreak)b: *c").problems == ["2:4: *c: there is no anchor \"c\" above"])
    }

    @Test(
        "UTF-16 is an error",
        arguments: [[0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61], [0x61, 0, 0x3A, 0], [0, 0x61, 0, 0x3A]]
            as [[UInt8]])
    func utf16(bytes: [UInt8]) {
        #expect(Composed(bytes).problems == ["1:1: the file is UTF-16 or binary; write it in UTF-8"])
    }
}
