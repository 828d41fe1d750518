import JSONBytes
import Testing

@Suite("Values that are compared as JSON Schema compares them")
struct JSONValueTests {
    private func value(_ text: String, limit: Int = .max) throws -> JSONValue? {
        JSONValue(try JSONFragment(parsing: text), limit: limit)
    }

    @Test("Each kind is decoded, with blanks between the tokens")
    func kinds() throws {
        let text = #" { "a" : [ null , true , 1.5e1 , "x\n" , { } , [ ] ] , "\u0062" : -0 } "#
        let elements: [JSONValue] = [
            .null, .bool(true), .integer(15), .string(Array("x\n".utf8)), .object([:]), .array([]),
        ]
        #expect(
            try value(text)
                == .object([Array("a".utf8): .array(elements), Array("b".utf8): .integer(0)]))
    }

    @Test("Equal values have equal hashes, however they are written")
    func hashes() throws {
        let values = [#"{"a":1,"b":[0]}"#, #"{"b":[-0.0],"a":10e-1}"#, #"{"\u0061":1.0,"b":[0e5]}"#]
        #expect(Set(try values.map { try value($0) }).count == 1)
    }

    @Test("A slice of a larger document is decoded alone")
    func slice() throws {
        let document = try JSONFragment(parsing: #"[1, {"a": [2, "b"]}, 3]"#)
        let element = try #require(document[element: 1])
        #expect(JSONValue(element) == (try value(#"{"a":[2,"b"]}"#)))
    }

    @Test("A name that repeats its value counts once; one with two values cannot be compared")
    func repeated() throws {
        #expect(try value(#"{"a":1,"\u0061":1.0}"#, limit: 2) == .object([Array("a".utf8): .integer(1)]))
        #expect(try value(#"{"a":1,"b":2,"a":2}"#) == nil)
        #expect(try value(#"[{"a":[],"a":{}}]"#) == nil)
    }

    @Test(
        "A limit bounds the elements and members, at any depth",
        arguments: [
            ("1", 1), ("[]", 1), ("[1,2]", 3), (#"{"a":1,"b":[2]}"#, 4), ("[[[[]]]]", 4),
        ])
    func limit(text: String, count: Int) throws {
        #expect(try value(text, limit: count)?.count == count)
        #expect(try value(text, limit: count - 1) == nil)
    }

    @Test("A number beyond the range of Double equals only the same digits")
    func hugeNumbers() throws {
        #expect(try value("1e999") == value("1e999"))
        #expect(try value("1e999") != value("1e998"))
        #expect(try value("1e999") != value("-1e999"))
    }
}
