import JSONBytes
import Testing

@Suite("JSONComposer")
struct ComposerTests {
    private func text(_ composer: consuming JSONComposer) -> String {
        String(decoding: composer.finish().joined(), as: UTF8.self)
    }

    private func fragment(_ text: String) throws -> JSONFragment {
        try JSONFragment(validating: Array(text.utf8)[...])
    }

    @Test("Names and strings are escaped, so no text can close its own quotes")
    func namesAndStringsAreEscaped() throws {
        let hostile = "\",\"code\":\"OK\n\u{0}\\"
        var composer = JSONComposer()
        composer.beginObject()
        composer.key(hostile)
        composer.string(hostile)
        composer.endObject()
        let document = composer.fragment()
        #expect(try JSONFragment(validating: document.bytes).members.count == 1)
        #expect(document[member: hostile]?.stringValue == hostile)
    }

    @Test("Commas are written only between elements and members")
    func commasStandBetweenElementsAndMembers() {
        var composer = JSONComposer()
        composer.beginArray()
        composer.beginObject()
        composer.endObject()
        composer.beginArray()
        composer.endArray()
        composer.null()
        composer.beginObject()
        composer.key("a")
        composer.beginArray()
        composer.bool(true)
        composer.bool(false)
        composer.endArray()
        composer.key("b")
        composer.int(1)
        composer.endObject()
        composer.string("s")
        composer.endArray()
        #expect(text(composer) == #"[{},[],null,{"a":[true,false],"b":1},"s"]"#)
    }

    @Test("Integers and fixed decimals are written with all digits")
    func integersAndFixedDecimalsAreWritten() {
        var composer = JSONComposer()
        composer.beginArray()
        for value in [0, 7, -7, 10, 504, Int.max, Int.min] { composer.int(value) }
        for scaled in [0, 1, -1, 9, 10, 124, -705, 1000] { composer.fixed(scaled, places: 1) }
        for scaled in [0, 5, 50, -500, 12345] { composer.fixed(scaled, places: 3) }
        for scaled in [0, -124] { composer.fixed(scaled, places: 0) }
        composer.endArray()
        #expect(
            text(composer) == "[0,7,-7,10,504,9223372036854775807,-9223372036854775808,"
                + "0.0,0.1,-0.1,0.9,1.0,12.4,-70.5,100.0,0.000,0.005,0.050,-0.500,12.345,0,-124]")
    }

    @Test("A byte that needs an escape is escaped at any position in a text")
    func aByteThatMustBeEscapedIsSeenWhereverItStands() {
        let escapes: [(String, String)] = [
            ("\"", "\\\""), ("\\", "\\\\"), ("\u{0}", "\\u0000"), ("\u{1f}", "\\u001f"), ("\n", "\\n"),
        ]
        for length in 0..<26 {
            // The fillers need no escape: the neighbours of `"` and `\`, a space and DEL. The last
            // character is not ASCII.
            for filler in ["!", "[", " ", "\u{7f}"] {
                let plain = String(repeating: filler, count: length)
                #expect(JSONFragment(string: plain).description == "\"\(plain)\"")
                for place in 0...length {
                    let (before, after) = (plain.prefix(place), plain.dropFirst(place))
                    for (byte, escaped) in escapes {
                        let fragment = JSONFragment(string: "\(before)\(byte)\(after)é")
                        #expect(fragment.description == "\"\(before)\(escaped)\(after)é\"")
                    }
                }
            }
        }
    }

    @Test("Finite doubles are written as JSON numbers, and infinities and NaN as null")
    func doublesAreWrittenAsJSONHasThem() throws {
        for value in [0, -0.0, 70.1, 1e21, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1 + 0.2]
        {
            var composer = JSONComposer()
            composer.double(value)
            let written = composer.fragment()
            #expect(try JSONFragment(validating: written.bytes).doubleValue == value)
        }
        for value in [Double.infinity, -.infinity, .nan] {
            var composer = JSONComposer()
            composer.double(value)
            #expect(text(composer) == "null")
        }
    }

    @Test("Fragments are written byte for byte, and large fragments are not copied")
    func fragmentsPassToTheByte() throws {
        let small = try fragment("{ \"am\" : 70.10e0 }")
        let large = try fragment("[\"" + String(repeating: "체중 ", count: 2000) + "\"]")
        var composer = JSONComposer()
        composer.beginObject()
        composer.key("recent")
        composer.fragment(small)
        composer.key("left")
        composer.fragment(large)
        composer.key("right")
        composer.fragment(large)
        composer.endObject()
        let expected = "{\"recent\":\(small),\"left\":\(large),\"right\":\(large)}"
        let pieces = composer.finish()
        #expect(String(decoding: pieces.joined(), as: UTF8.self) == expected)
        #expect(pieces.count == 5)
        let address = large.bytes.withUnsafeBufferPointer { $0.baseAddress }
        for piece in [pieces[1], pieces[3]] {
            #expect(piece.withUnsafeBufferPointer { $0.baseAddress } == address)
        }
    }

    @Test("A document that consists of one large fragment has one piece")
    func aDocumentThatIsOneLargeFragmentIsOnePiece() throws {
        let large = try fragment("\"" + String(repeating: "x", count: 5000) + "\"")
        var composer = JSONComposer(sharedFragmentLength: 100)
        composer.fragment(large)
        #expect(composer.finish() == [large.bytes])
    }

    @Test("A document composed again from its parts keeps all names and values", arguments: 0..<4)
    func aDocumentThatIsTakenApartAndComposedAgainIsTheSame(_ seed: Int) throws {
        var generator = DocumentGenerator(seed: UInt64(3000 + seed))
        for _ in 0..<500 {
            let whole = try JSONFragment(validating: generator.document()[...])
            var composer = JSONComposer(sharedFragmentLength: 8)
            rewrite(whole, to: &composer)
            let again = composer.fragment()
            var expected = JSONComposer()
            rewrite(try JSONFragment(validating: again.bytes), to: &expected)
            #expect(expected.fragment() == again)
            #expect(leaves(again) == leaves(whole))
        }
    }

    private func rewrite(_ value: JSONFragment, to composer: inout JSONComposer) {
        switch value.kind {
        case .array:
            composer.beginArray()
            for element in value.elements { rewrite(element, to: &composer) }
            composer.endArray()
        case .object:
            composer.beginObject()
            for (name, member) in value.members {
                composer.key(name)
                rewrite(member, to: &composer)
            }
            composer.endObject()
        case .null, .bool, .number, .string: composer.fragment(value)
        }
    }

    /// The names and scalars of a document, in order.
    private func leaves(_ value: JSONFragment) -> [String] {
        switch value.kind {
        case .array: value.elements.flatMap(leaves)
        case .object: value.members.flatMap { [$0.name] + leaves($0.value) }
        case .null, .bool, .number, .string: [value.description]
        }
    }
}
