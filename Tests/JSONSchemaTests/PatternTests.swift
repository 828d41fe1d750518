import Testing

@testable import JSONSchema

@Suite("Patterns of ECMA-262")
struct PatternTests {
    private func match(
        _ pattern: String, _ text: String, _ budget: inout PatternBudget
    ) throws -> ECMAPattern.Outcome {
        let pattern = try ECMAPattern(pattern)
        var memory: PatternMemory?
        return Array(text.utf8).withUnsafeBytes { pattern.match($0, &memory, &budget) }
    }

    private func matches(_ pattern: String, _ text: String) throws -> Bool {
        var budget = PatternBudget(.seconds(10))
        return try match(pattern, text, &budget) == .matches
    }

    @Test(
        "A pattern is found anywhere in a text",
        arguments: [
            ("b", "abc", true), ("^b", "abc", false), ("c$", "abc", true), ("c$", "abc\n", false),
            ("^$", "", true),
            ("^[a-z]{2,3}$", "abcd", false), ("^[a-z]{2,3}$", "ab", true),
            ("^\\d{4}-\\d{2}$", "2026-11", true),
            ("^[^/]+/[^/]+$", "a/é", true), ("^[^/]+/[^/]+$", "a//", false), ("^.{2}$", "日本", true),
            ("^.{2}$", "a\u{2028}", false), (".", "\n", false), ("[^]", "\n", true), ("[]", "a", false),
            ("\\s", "\u{FEFF}", true), ("\\S", "\u{2029}", false), ("\\w", "é", false), ("\\d", "٣", false),
            ("\\p{Letter}", "é", true), ("\\p{Script=Greek}", "Ω", true), ("\\P{L}", "é", false),
            ("\\u{1F600}", "😀", true), ("\\ud83d\\ude00", "😀", true), ("\\ud83d", "😀", false),
            ("[\\ud83d]", "😀", false),
            ("[^\\ud83d]", "😀", true), ("\\cJ", "\n", true), ("\\x41", "A", true), ("\\0", "\0", true),
            ("(a)|b\\1c", "bc", true), ("(?<n>a)\\k<n>", "aa", true), ("\\k<n>(?<n>a)", "a", true),
            ("(?<=a|bc)d", "bcd", true), ("(?<!a)d", "ad", false), ("a(?=b)", "ab", true),
            ("a(?!b)", "ab", false),
            ("^x-", "x-a", true), ("^x-", "a x-", false), ("^(?:ab)+$", "abab", true), ("[a\\-z]", "-", true),
            ("\\/\\.", "/.", true), ("^a{0}b", "b", true), ("[\\b]", "\u{8}", true),
        ])
    func found(pattern: String, text: String, expected: Bool) throws {
        #expect(try matches(pattern, text) == expected)
    }

    @Test(
        "What ECMA-262 does not have is refused, with the character",
        arguments: [
            ("(?<=a+)b", "the length of a lookbehind must be fixed, at character 1 of \"(?<=a+)b\""),
            ("ab\\a", "ECMA-262 has no escape \\a, at character 3 of \"ab\\a\""),
            ("(a", "a parenthesis is not closed, at character 1 of \"(a\""),
            ("a)", "a parenthesis is closed that was not opened, at character 2 of \"a)\""),
            ("[b-a]", "a range has its ends in the wrong order, at character 2 of \"[b-a]\""),
            ("[\\d-z]", "a range needs two characters, at character 2 of \"[\\d-z]\""),
            ("*a", "nothing is before the quantifier, at character 1 of \"*a\""),
            ("a{2,1}", "a quantifier has its numbers in the wrong order, at character 2 of \"a{2,1}\""),
            ("a{", "a { needs a backslash, at character 2 of \"a{\""),
            ("é}", "a } needs a backslash, at character 2 of \"é}\""),
            ("(?i:a)", "ECMA-262 has no such group, at character 1 of \"(?i:a)\""),
            ("\\2(a)", "the pattern has no group 2, at character 1 of \"\\2(a)\""),
            ("\\p{Foo}", "Unicode has no property Foo, at character 1 of \"\\p{Foo}\""),
            ("\\k<x>", "no group has the name x, at character 1 of \"\\k<x>\""),
            ("(?<x>a)(?<x>b)", "two groups have the name x, at character 8 of \"(?<x>a)(?<x>b)\""),
            ("\\u12", "\\u needs four hexadecimal digits, or some in braces, at character 1 of \"\\u12\""),
        ])
    func refused(pattern: String, message: String) {
        #expect {
            try ECMAPattern(pattern)
        } throws: { error in
            "\(error)" == message
        }
    }

    @Test("A lookbehind of repetitions of repetitions is refused, however many characters they make")
    func hugeLookbehind() throws {
        var inner = "a"
        for _ in 0..<20 { inner = "(?:\(inner)){65535}" }
        #expect(throws: ECMAPatternParser.Failure.self) { try ECMAPattern("(?<=\(inner))b") }
        #expect(try matches("(?<=(?:a{2}){2})b", "aaaab"))
    }

    @Test("Groups are nested as deep as PCRE2 nests them, and no deeper")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        #expect(throws: ECMAPatternParser.Failure.self) { try ECMAPattern(nested(250)) }
        #expect(throws: ECMAPatternParser.Failure.self) { try ECMAPattern(nested(4000)) }
        #expect(try matches(nested(249), "a"))
    }

    @Test(
        "A pattern whose characters decide where they belong needs no PCRE2",
        arguments: [
            ("^[a-z]{2,8}$", true), ("^\\d+-\\d+$", true), ("abc", true), ("^[^@]+@[^@]+$", true),
            ("^x-", true),
            ("^.{1,80}$", true), ("^[a-z]*[a-z]$", false), ("^(a|b)$", false), ("[a-z]+x", false),
            ("^\\s$", false),
            ("^[a-z]*-?[a-z]$", false),
        ])
    func simple(pattern: String, expected: Bool) throws {
        #expect(try ECMAPattern(pattern).isSimple == expected)
    }

    @Test("A text of 64 KiB is matched, a longer one is not")
    func longestText() throws {
        var budget = PatternBudget(.seconds(10))
        let text = String(repeating: "a", count: ECMAPattern.longestText)
        #expect(try match("^a+$", text + "a", &budget) == .exceedsLimits)
        #expect(try match("^a+$", text, &budget) == .matches)
    }

    @Test("Nested repetitions exceed the steps of one start, and few windows are searched")
    func exponential() throws {
        var budget = PatternBudget(.seconds(10))
        #expect(try match("^(a+)+$", String(repeating: "a", count: 40) + "b", &budget) == .exceedsLimits)
        #expect(try match("(a+)+$", String(repeating: "a", count: 40) + "b", &budget) == .exceedsLimits)
        #expect(budget.windows < 20)
    }

    @Test("A search whose starts take few steps each goes on in windows, until its time is over")
    func quadratic() throws {
        let letters = String(repeating: "a", count: 19_000)
        var budget = PatternBudget(.seconds(60))
        // The time is over after the first windows. All starts would take thousands of windows.
        var short = PatternBudget(.nanoseconds(1))
        #expect(try match("[a-z]*[a-z][0-9]", letters, &short) == .exceedsLimits)
        #expect(short.windows == 1)
        #expect(try match("[a-z]*[a-z][0-9]", letters + "1", &budget) == .matches)
        var spent = PatternBudget(.zero)
        #expect(try match("[a-z]*[a-z][0-9]", "a1", &spent) == .exceedsLimits)
    }

    @Test("A window never begins within a character")
    func windowsOfCharacters() throws {
        var budget = PatternBudget(.seconds(60))
        let text = String(repeating: "日", count: 3000)
        #expect(try match("[^a]*[^a]日x", text, &budget) != .matches)
        #expect(try match("本$", text + "本", &budget) == .matches)
        #expect(budget.windows > 1)
    }

    @Test("A body with a costly pattern is refused within the time of a check, with the keyword pattern")
    func costly() throws {
        for count in [19_000, 64_000] {
            let text = "\"" + String(repeating: "a", count: count) + "\""
            let result = try measured(#"{"pattern":"[a-z]*[a-z][0-9]"}"#, text)
            #expect(result.verdict == .patternTooCostly)
            // 20 ms of windows of about 1 ms; a window may take less.
            #expect(result.windows < 2000)
            #expect(try faults(#"{"pattern":"[a-z]*[a-z][0-9]"}"#, text) == [" pattern"])
        }
    }
}
