import HTTPModel
import Testing

@Suite("Prefer")
struct PreferencesTests {
    private func preferences(_ lines: String...) -> Preferences {
        var fields = HTTPFields()
        for line in lines { fields.append(.prefer, line) }
        return Preferences(fields)
    }

    @Test(
        "A malformed preference is skipped, and the others are read",
        arguments: [
            "", ",", " , ,", "=", "=timeline", "timeline=", "timeline = ", "time line", "timeline x",
            "timeline=a b", "timeline=\"", "timeline=\"x", "\"timeline\"", "timeline;a=", "timeline;a=b c",
            "timeline/", "xtimeline", "timelines", "wait=timeline", "wait; timeline", "wait=\"1, timeline\"",
            "wait=\"1, timeline, 2\"",
            "wait=\"1\\\", timeline, 2\"",
        ])
    func malformed(_ line: String) {
        #expect(preferences(line)["timeline"] == nil)
        #expect(preferences(line, "respond-async")["respond-async"] == "")
        #expect(preferences("respond-async, \(line)")["respond-async"] == "")
        #expect(preferences(line, "timeline")["timeline"] == "")
    }

    @Test("Without a Prefer line there is no preference")
    func none() {
        #expect(preferences()["timeline"] == nil)
        #expect(Preferences([.accept: "timeline"])["timeline"] == nil)
    }

    @Test(
        "A preference is found among others, on any line, in any case, with blanks and parameters",
        arguments: [
            "timeline", "TimeLine", " timeline ", "respond-async, wait=10 , timeline",
            ",, timeline ,", "handling=lenient;a=\"x, y\", timeline", "timeline; a=b",
            "timeline ;a; b = \"c\" ;",
            "timeline=\"\"", "timeline = \"\"", "timeline=\"\";a", ",timeline", "wait=\"1, 2\", timeline",
            "wait=\"1\\\\\", timeline", "wait=\"\\\",\", timeline",
        ])
    func found(_ line: String) {
        #expect(preferences(line)["timeline"] == "")
        #expect(preferences("wait=5", line, "timeline=no")["TIMELINE"] == "")
    }

    @Test("A value has no quotes, and the first of several counts")
    func values() {
        let preferences = preferences("wait = 10, timeline=\"a \\\"b\\\"\"", "wait=20, Wait=30")
        #expect(preferences["wait"] == "10")
        #expect(preferences["timeline"] == "a \"b\"")
    }
}
