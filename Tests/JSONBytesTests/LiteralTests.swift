import JSONBytes
import Testing

@Suite("JSON literals and JSON from text")
struct LiteralTests {
    @Test("A repeated name in a literal stops the program")
    func repeatedName() async {
        await #expect(processExitsWith: .failure) {
            let literal: JSONLiteral = ["a": 1, "a": 2]
            _ = literal
        }
        let literal: JSONLiteral = ["\u{e9}": 1, "e\u{301}": 2]
        #expect(literal.fragment.members.count == 2)
    }

    @Test("Empty, nested and mixed literals are JSON, with members in their order")
    func literals() throws {
        let count = 3
        let literal: JSONLiteral = [
            "z": [], "a": [:], "nothing": nil, "mixed": [1, -2.5, "x\n\"", true, nil, ["deep": [[]]]],
            "count": JSONLiteral(count), "text": "\(count) items", "infinite": JSONLiteral(Double.infinity),
            "fragment": JSONLiteral(try JSONFragment(parsing: "[1, 2]")),
        ]
        #expect(
            literal.description
                == #"{"z":[],"a":{},"nothing":null,"mixed":[1,-2.5,"x\n\"",true,null,{"deep":[[]]}],"#
                + #""count":3,"text":"3 items","infinite":null,"fragment":[1, 2]}"#)
        #expect(try JSONFragment(validating: literal.fragment.bytes) == literal.fragment)
        #expect(nil as JSONLiteral == JSONLiteral(JSONFragment.null))
    }

    @Test("Text is parsed or quoted, as the name of the argument says")
    func text() throws {
        #expect(try JSONFragment(parsing: "[]").kind == .array)
        #expect(JSONFragment(string: "[]").kind == .string)
        let error = #expect(throws: JSONError.self) { try JSONFragment(parsing: #"{"available":nil}"#) }
        #expect(error == JSONError(offset: 14, reason: .badLiteral))
        #expect(throws: JSONError.self) { try JSONFragment(parsing: "[[]]", limits: JSONLimits(maxDepth: 1)) }
    }
}
