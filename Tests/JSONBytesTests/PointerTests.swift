import JSONBytes
import Testing

@Suite("JSON Pointer")
struct PointerTests {
    /// The example of RFC 6901, section 5.
    private static let example = #"""
        { "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7,
          "m~n": 8 }
        """#

    private func look(_ pointer: String, in text: String) throws -> String? {
        try JSONFragment(validating: Array(text.utf8)[...]).value(at: JSONPointer(pointer))?.description
    }

    @Test("A pointer without a leading slash or with a bare tilde is rejected")
    func aMalformedPointerIsRefused() {
        for pointer in ["foo", "#/foo", " /foo", "/a~", "/a~2b", "/~", "/a/~/b", "/~~0"] {
            let error = #expect(throws: JSONPointer.ParseError.self) { try JSONPointer(pointer) }
            #expect(error?.description.contains("\"\(pointer)\"") == true)
            #expect(error?.pointer == pointer)
        }
    }

    @Test("An invalid pointer literal stops the program")
    func aMalformedLiteralStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let pointer: JSONPointer = "foo"
            _ = pointer
        }
        let pointer: JSONPointer = "/foo/0"
        #expect(pointer == JSONPointer(members: ["foo", "0"]))
    }

    @Test("A pointer to a missing value finds nothing")
    func aPointerToNothingFindsNothing() throws {
        let pointers = [
            "/bar", "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/-1", "/foo/1.0", "/foo/",
            "/foo/bar",
            "/foo/0/x", "/foo/0/0", "/a", "/FOO", "/fo", "/fooo", "/ /0", "/foo/18446744073709551616", "//x",
            "/m~0",
        ]
        for pointer in pointers { #expect(try look(pointer, in: Self.example) == nil, "\(pointer)") }
        for scalar in ["1", "null", #""text""#, "[]", "{}"] { #expect(try look("/0", in: scalar) == nil) }
    }

    @Test("The example pointers of RFC 6901 find the values that the RFC lists")
    func thePointersOfTheRFCFindWhatItSays() throws {
        let expected = [
            ("/foo", #"["bar", "baz"]"#), ("/foo/0", #""bar""#), ("/foo/1", #""baz""#), ("/", "0"),
            ("/a~1b", "1"),
            ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"), (#"/i\j"#, "5"), (#"/k"l"#, "6"), ("/ ", "7"),
            ("/m~0n", "8"),
        ]
        for (pointer, value) in expected {
            #expect(try look(pointer, in: Self.example) == value, "\(pointer)")
        }
        let whole = try JSONFragment(validating: Array(Self.example.utf8)[...])
        #expect(whole.value(at: .root) == whole)
        #expect(whole.value(at: "") == whole)
    }

    @Test("~01 in a pointer stands for ~1, not for a slash")
    func tildeZeroOneIsATildeAndAOne() throws {
        #expect(try look("/~01", in: #"{"~1":1,"/":2}"#) == "1")
        #expect(try look("/~1", in: #"{"~1":1,"/":2}"#) == "2")
    }

    @Test("A token of digits is an index in an array and a name in an object")
    func aTokenOfDigitsIsAnIndexAndAName() throws {
        #expect(try look("/1/0", in: #"[5,{"0":"name"}]"#) == #""name""#)
        #expect(try look("/01", in: #"{"01":1}"#) == "1")
        #expect(try look("/-", in: #"{"-":1}"#) == "1")
    }

    @Test("Names are compared after their escapes are decoded, without Unicode normalization")
    func aNameIsComparedByItsCharacters() throws {
        let text = #"{"\ud83d\ude00":1,"\uCCB4중":2,"a\/b":3,"\u0000":4,"\"":5,"é":6,"\ud800":7}"#
        #expect(try look("/😀", in: text) == "1")
        #expect(try look("/체중", in: text) == "2")
        #expect(try look("/a~1b", in: text) == "3")
        #expect(try look("/\0", in: text) == "4")
        #expect(try look("/\"", in: text) == "5")
        #expect(try look("/é", in: text) == "6")
        // An e with a combining accent is another name, because JSON does not normalize.
        #expect(try look("/e\u{301}", in: text) == nil)
        #expect(try look("/\u{FFFD}", in: text) == "7")
    }

    @Test("If a name is repeated, the last member is found")
    func ofMembersWithOneNameTheLastIsFound() throws {
        #expect(try look("/a", in: #"{"a":1,"b":{"a":4},"a":[2],"\u0061":3,"c":5}"#) == "3")
    }

    @Test("Values are found after strings full of brackets, quotes and escapes")
    func valuesAreFoundBehindStringsFullOfBrackets() throws {
        let trap = #"{"x":["]}\"{[","\\",{"y":"\\\"]"}],"\\":"}","z":[[[["[[["]]]]}"#
        #expect(try look("/1/0", in: #"[\#(trap),["found"]]"#) == #""found""#)
        #expect(try look("/end", in: #"{"t":\#(trap),"u":[\#(trap)],"end":-1.50e+3}"#) == "-1.50e+3")
        #expect(try look("/z/0/0/0/0", in: trap) == #""[[[""#)
    }

    @Test("Every value of a document is found by its pointer, byte for byte", arguments: 0..<4)
    func everyValueOfEveryDocumentIsFound(_ seed: Int) throws {
        var generator = DocumentGenerator(seed: UInt64(2000 + seed))
        for _ in 0..<500 {
            let bytes = generator.document()
            let whole = try JSONFragment(validating: bytes[...])
            try check(whole, at: .root, in: whole)
        }
    }

    private func check(_ value: JSONFragment, at pointer: JSONPointer, in whole: JSONFragment) throws {
        let found = try #require(whole.value(at: pointer))
        #expect(found.bytes.indices == value.bytes.indices)
        // Each value is itself a valid document.
        #expect(try JSONFragment(validating: found.bytes).bytes.indices == value.bytes.indices)
        #expect(try JSONPointer(pointer.description) == pointer)
        for (place, element) in value.elements.enumerated() {
            try check(element, at: pointer.appending(member: "\(place)"), in: whole)
            #expect(value[element: place] == element)
        }
        #expect(value[element: value.elements.count] == nil)
        #expect(value[element: -1] == nil)
        var last: [String: JSONFragment] = [:]
        for (name, member) in value.members { last[name] = member }
        for (name, member) in last { try check(member, at: pointer.appending(member: name), in: whole) }
    }
}
