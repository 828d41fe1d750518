import JSONBytes
import Testing

/// RFC 8725 2.4: readers disagree on which of two members with one name counts.
@Suite("Repeated members of JSON objects")
struct RepeatedMemberTests {
    private func hasRepeated(_ json: String) throws -> Bool {
        try JSONFragment(parsing: json).hasRepeatedMember
    }

    /// An object with that many members, of which the last has the name `last`.
    private static func object(_ count: Int, last: String) -> String {
        let members = (1..<count).map { "\"m\($0)\":\($0)" } + ["\"\(last)\":0"]
        return "{\(members.joined(separator: ","))}"
    }

    @Test(
        "Two members of one object have one name, at any level and however it is written",
        arguments: [
            #"{"a":1,"a":2}"#, #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#,
            #"{"x":{"a":1,"a":2}}"#, #"[0,[{"a":1,"a":2}]]"#, #"{"x":[1,{"b":{},"c":{"a":1,"a":1}}]}"#,
            #"{"":1,"":2}"#, #" { "a" : 1 , "a" : 2 } "#,
            // One letter with an accent, and a letter with an accent behind it.
            "{\"\u{e9}\":1,\"e\u{301}\":2}", #"{"\u00e9":1,"e\u0301":2}"#,
            object(8, last: "m1"), object(9, last: "m8"), object(9, last: #"\u006d1"#),
            object(40, last: "m20"),
        ])
    func repeated(_ json: String) throws { #expect(try hasRepeated(json)) }

    @Test(
        "Other names, and equal ones of different objects, are not repeated",
        arguments: [
            "1", #""a""#, "null", "{}", "[]", "[{},{}]", #"{"a":1}"#, #"{"a":1,"A":2,"aa":3,"":4}"#,
            #"{"a":{"a":1},"b":{"a":1}}"#, #"[{"a":1},{"a":1}]"#, #"{"a":[{"b":1}],"b":2}"#,
            "{\"\u{e9}\":1,\"e\":2}", object(8, last: "m"), object(9, last: "m"), object(40, last: "m"),
            #"{"a":"a\"b","b":[1,2.5e3,true]}"#,
        ])
    func distinct(_ json: String) throws { #expect(try !hasRepeated(json)) }
}
