import EndpointPlans
import Testing

@testable import GatewayCore

@Suite("Patterns")
struct PatternTests {
    @Test("A pattern that cannot be compiled is refused with the place", arguments: ["[a-", "(a", "a{2,1}"])
    func refused(text: String) throws {
        let error = try #require(throws: Pattern.ParseError.self) { try Pattern(text) }
        #expect(error.description.contains(" at byte "))
    }

    @Test(
        "A match covers the whole text",
        arguments: [
            ("[a-z]+", "abc", true), ("[a-z]+", "abc1", false), ("[a-z]+", "1abc", false),
            ("a|ab", "ab", true), ("^a$", "a", true), ("^a$", "a\n", false), ("a", "", false), ("", "", true),
            (#"\d{2}"#, "12", true), (#"\d{2}"#, "١٢", false), (#"\u00e9."#, "éé", true),
            (#"\p{L}+"#, "größe", true), (".", "👍", true), ("(?i)am|pm", "PM", true),
        ])
    func whole(pattern: String, text: String, matches: Bool) throws {
        #expect(try Pattern(pattern).match(text) == (matches ? .matches : .differs))
    }

    @Test(
        "A match that would take long ends at its limits",
        arguments: [
            "(a+)+[bc]", "(a|aa)+[xy]", "([a-z]+)*[0-9]", "(.*)(.*)(.*)(.*)[xy]", "(a?){40}a{40}[xy]",
        ])
    func limits(pattern: String) throws {
        let pattern = try Pattern(pattern)
        for count in [64, 1000, 8000] {
            let text = String(repeating: "a", count: count)
            let clock = ContinuousClock()
            // The best of three: other work on the machine must not fail the test.
            let time = (0..<3).map { _ in clock.measure { _ = pattern.match(text) } }.min() ?? .zero
            #expect(pattern.match(text) == .exceedsLimits)
            #expect(time < .milliseconds(50), "\(pattern.text), \(count) characters: \(time)")
        }
    }

    @Test("A text longer than the longest that is matched exceeds the limits")
    func longText() throws {
        #expect(try Pattern("a*").match(String(repeating: "a", count: 70_000)) == .exceedsLimits)
    }

    @Test("A pattern is matched on several threads at once")
    func threads() async throws {
        let pattern = try Pattern("[a-z]{2,8}-[0-9]+")
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask { (0..<2000).allSatisfy { pattern.match("abc-\($0 + number)") == .matches } }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
