import HTTPModel
import Testing

@Suite("Entity tags")
struct EntityTagTests {
    private func tag(_ text: String) -> EntityTag? { EntityTag(bytes: Array(text.utf8)[...]) }

    @Test(
        "Bytes that are not a tag are refused",
        arguments: [
            "", "a", "\"a", "a\"", "\"a\"b", "\"a\" ", "w/\"a\"", "W/a", "\"a b\"", "\"a\u{7f}\"", "\"\"\"",
        ])
    func refused(text: String) {
        #expect(tag(text) == nil)
    }

    @Test(
        "A tag cannot be made of text with a quote, a blank or a control character",
        arguments: ["\"", "a b", "a\n"])
    func refusedText(text: String) {
        #expect(EntityTag(text) == nil)
    }

    @Test("A tag is made of other text, strong or weak", arguments: ["", "a-1", "!", "~", "é", "W/"])
    func madeOfText(text: String) {
        #expect(EntityTag(text)?.description == "\"\(text)\"")
        #expect(EntityTag(text, isWeak: true)?.description == "W/\"\(text)\"")
        #expect(EntityTag(text) == tag("\"\(text)\""))
    }

    @Test("A tag is made of three numbers in hexadecimal digits")
    func madeOfNumbers() {
        #expect(EntityTag(0x66f, 0, 0x400).description == "\"66f-0-400\"")
        #expect(EntityTag(1, .max, 16, "-gz").description == "\"1-ffffffffffffffff-10-gz\"")
    }

    @Test(
        "A tag is read as it is written",
        arguments: ["\"!~\"", "\"a-1\"", "W/\"a\"", "\"\"", "\"W/\"", "\"é,\""])
    func written(text: String) {
        #expect(tag(text)?.description == text)
    }

    /// The table of RFC 9110 8.8.3.2.
    @Test(
        "Tags are compared strongly and weakly",
        arguments: [
            ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
            ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true),
        ])
    func compared(left: String, right: String, strongly: Bool, weakly: Bool) throws {
        let (left, right) = (try #require(tag(left)), try #require(tag(right)))
        #expect(left.isStronglyEqual(to: right) == strongly)
        #expect(left.isWeaklyEqual(to: right) == weakly)
    }

    @Test(
        "A condition is any state, or the tags of the list up to a malformed one",
        arguments: [
            (["*"], nil), (["\"a\""], ["\"a\""]),
            (["\"a\", W/\"b\"", "\"c\""], ["\"a\"", "W/\"b\"", "\"c\""]),
            ([" , \"a\" ,,\t\"b,c\" ,"], ["\"a\"", "\"b,c\""]), (["\"a\" \"b\""], []),
            (["\"a\", b, \"c\""], ["\"a\""]), (["*, \"a\""], []), (["*", "\"a\""], ["\"a\""]), ([""], []),
        ] as [([String], [String]?)])
    func conditions(values: [String], expected: [String]?) throws {
        var fields = HTTPFields()
        for value in values { fields.append(.ifNoneMatch, value) }
        switch try #require(EntityTagCondition(.ifNoneMatch, in: fields)) {
        case .any: #expect(expected == nil)
        case .tags(let tags): #expect(tags.map(\.description) == expected)
        }
        #expect(EntityTagCondition(.ifMatch, in: fields) == nil)
    }

    @Test("A condition includes the states with its tags, any state, or none")
    func includes() throws {
        let (own, weak) = (EntityTag(42), try #require(EntityTag("42", isWeak: true)))
        #expect(own.description == "\"42\"")
        let tags = EntityTagCondition.tags([EntityTag(7), own])
        #expect(tags.includes(own, strongly: true) && tags.includes(own, strongly: false))
        #expect(!tags.includes(weak, strongly: true) && tags.includes(weak, strongly: false))
        #expect(!tags.includes(EntityTag(8), strongly: false) && !tags.includes(nil, strongly: false))
        #expect(EntityTagCondition.any.includes(weak, strongly: true))
        #expect(!EntityTagCondition.any.includes(nil, strongly: true))
    }
}
