import JSONBytes
import Testing

@Suite("Picking, keeping, dropping, renaming and joining members")
struct ShapeTests {
    private func parse(_ text: String) throws -> JSONFragment { try JSONFragment(parsing: text) }

    @Test("Picking what is missing, or another kind, is an error")
    func pickingNothing() throws {
        let data = try parse(#"{"a":{"b":[1,"x"]}}"#)
        let missing = #expect(throws: JSONShapeError.self) { try data.pick("/a/c") }
        #expect(missing?.reason == .missing)
        #expect(missing?.description == "the data has nothing at /a/c")
        let kind = #expect(throws: JSONShapeError.self) { try data.pick("/a/b", as: .object) }
        #expect(kind?.reason == .unexpectedKind)
        #expect(throws: JSONShapeError.self) { try parse("5").pick("/a") }
    }

    @Test("A picked value is a slice of the same bytes")
    func picking() throws {
        let data = try parse(#"{"a":{"b":[1, "x"]}}"#)
        let picked = try data.pick("/a/b", as: .array)
        #expect(picked.description == #"[1, "x"]"#)
        #expect(picked.bytes.indices == 10..<18)
    }

    @Test(
        "If members are to be kept, a value without members is an error, at any depth",
        arguments: ["1", #""x""#, "true"])
    func keepingNothing(scalar: String) throws {
        #expect(throws: JSONShapeError.self) { try parse(scalar).keep("a") }
        #expect(throws: JSONShapeError.self) { try parse(#"[{"a":1},\#(scalar)]"#).keep("a") }
        #expect(throws: JSONShapeError.self) { try parse(#"{"a":\#(scalar)}"#).keep("a.b") }
        #expect(try parse(#"{"a":\#(scalar)}"#).keep("a").description == #"{"a":\#(scalar)}"#)
        #expect(try parse(scalar).drop("a").description == scalar)
        #expect(try parse(scalar).rename(["a": "b"]).description == scalar)
        #expect(try parse(#"{"a":\#(scalar)}"#).drop("a.b").description == #"{"a":\#(scalar)}"#)
    }

    @Test("null stays null in every operation")
    func null() throws {
        #expect(try JSONFragment.null.pick("/a").isNull)
        #expect(try JSONFragment.null.keep("a").isNull)
        #expect(try JSONFragment.null.drop("a").rename(["b": "c"]).isNull)
        #expect(try parse(#"[null,{"a":null}]"#).keep("a.b").description == #"[null,{"a":null}]"#)
        #expect(try JSONFragment.null.join(parse(#"{"a":1}"#)).description == #"{"a":1}"#)
        #expect(try parse(#"{"a":1}"#).join(.null).description == #"{"a":1}"#)
        #expect(try JSONFragment.null.join(.null).isNull)
    }

    @Test("Kept members stay in their order, with their bytes; a missing one stays missing")
    func keeping() throws {
        let data = try parse(#"{ "id" : 7 , "title" : "\u00e9" , "secret" : {"id":1}, "tags":[ 1, 2 ] }"#)
        #expect(
            try data.keep("tags", "title", "id", "gone").description
                == #"{"id":7,"title":"\u00e9","tags":[ 1, 2 ]}"#)
        #expect(try data.keep("gone").description == "{}")
        #expect(try data.keep("secret.id", "id").description == #"{"id":7,"secret":{"id":1}}"#)
        #expect(try data.keep("secret", "secret.x").description == #"{"secret":{"id":1}}"#)
    }

    @Test("A path goes through arrays, and the whole value may be an array")
    func arrays() throws {
        let list = try parse(#"[{"a":1,"b":[{"c":1,"d":2},[{"c":3,"d":4}]]},{"b":[]},{}]"#)
        #expect(try list.keep("b.c").description == #"[{"b":[{"c":1},[{"c":3}]]},{"b":[]},{}]"#)
        #expect(try list.drop("b[*].c", "a").description == #"[{"b":[{"d":2},[{"d":4}]]},{"b":[]},{}]"#)
        #expect(
            try list.rename(["a": "x", "b.d": "e"]).description
                == #"[{"x":1,"b":[{"c":1,"e":2},[{"c":3,"e":4}]]},{"b":[]},{}]"#)
    }

    @Test(
        "A name that a renamed member takes may be in the object a hundred thousand times",
        .timeLimit(.minutes(1)))
    func renamingRepeated() throws {
        let repeated = Array(repeating: #""b":1"#, count: 100_000).joined(separator: ",")
        let kept = try parse("{\(repeated)}").rename(["a": "b"])
        #expect(kept.description == "{\(repeated)}")
        #expect(try parse("{\(repeated),\"a\":2}").rename(["a": "b"]).description == #"{"b":2}"#)
    }

    @Test("A renamed member takes the place of one that has the name already, wherever that stands")
    func renaming() throws {
        #expect(try parse(#"{"a":1,"b":2,"c":3}"#).rename(["a": "b"]).description == #"{"b":1,"c":3}"#)
        #expect(try parse(#"{"b":2,"a":1}"#).rename(["a": "b"]).description == #"{"b":1}"#)
        #expect(try parse(#"{"b":2}"#).rename(["a": "b"]).description == #"{"b":2}"#)
        #expect(try parse(#"{"a":1,"b":2}"#).rename(["a": "b", "b": "a"]).description == #"{"b":1,"a":2}"#)
        #expect(try parse(#"{"\u0061":1,"\u0062":2}"#).rename(["a": "b"]).description == #"{"b":1}"#)
        #expect(try parse(#"{"a":1}"#).rename(["a": "\"\n오늘"]).description == #"{"\"\n오늘":1}"#)
        // A member that is dropped or not kept replaces nothing.
        #expect(
            try parse(#"{"a":1,"b":2}"#).shape(JSONShape().drop("a").rename(["a": "b"])).description
                == #"{"b":2}"#)
        #expect(
            try parse(#"{"a":1,"b":2}"#).shape(JSONShape().keep("b").rename(["a": "b"])).description
                == #"{"b":2}"#)
    }

    @Test("Renaming two members of an object to one name stops the program")
    func renamingToOneName() async {
        await #expect(processExitsWith: .failure) { _ = JSONShape().rename(["a": "x", "b": "x"]) }
        await #expect(processExitsWith: .failure) {
            _ = JSONShape().rename(["o.a": "x"]).rename(["o.b": "x"])
        }
        _ = JSONShape().rename(["o.a": "x", "b": "x"])
    }

    @Test("A shape keeps, then drops, then renames, however it is written")
    func order() throws {
        let data = try parse(#"{"id":1,"name":"x","seller":{"name":"s","legal":"l","id":2},"stock":3}"#)
        let expected = #"{"number":1,"seller":{"title":"s"}}"#
        let one = JSONShape().keep("id", "seller").drop("seller.legal", "seller.id").rename([
            "id": "number", "seller.name": "title",
        ])
        let other = JSONShape().rename(["seller.name": "title", "id": "number"]).drop(
            "seller.id", "seller.legal"
        ).keep("seller", "id")
        #expect(try data.shape(one).description == expected)
        #expect(try data.shape(other).description == expected)
        #expect(try data.shape(JSONShape()) == data)
    }

    @Test("Joining anything but objects is an error")
    func joiningOthers() throws {
        for text in ["[]", "1", #""a""#] {
            #expect(throws: JSONShapeError.self) { try parse(text).join(parse("{}")) }
            #expect(throws: JSONShapeError.self) { try parse("{}").join(parse(text)) }
        }
    }

    @Test("The members of a joined object follow, and replace those with the same name")
    func joining() throws {
        let one = try parse(#"{ "a":1, "b" : [ 2 ], "\u0063":3 }"#)
        #expect(
            try one.join(parse(#"{"c":4,"d":"\ud800"}"#)).description
                == #"{"a":1,"b":[ 2 ],"c":4,"d":"\ud800"}"#)
        #expect(try one.join(parse("{}")).description == #"{"a":1,"b":[ 2 ],"\u0063":3}"#)
        #expect(try parse("{}").join(one).description == #"{"a":1,"b":[ 2 ],"\u0063":3}"#)
        // Two names in JSON, though Swift takes them for the same text.
        #expect(try parse("{\"\u{e9}\":1}").join(parse("{\"e\u{301}\":2}")).members.count == 2)
    }

    @Test("A shape gives what a plain reading of the members gives, for 20 000 random documents")
    func comparedWithPlainReading() throws {
        var generator = DocumentGenerator(seed: 7)
        var shaped = 0
        for _ in 0..<20_000 {
            let document = try JSONFragment(validating: generator.document()[...])
            let names = Plain.names(in: document)
            guard let first = names.first, let second = names.dropFirst().first else { continue }
            let path = try JSONMemberPath("['\(Plain.quoted(first))']")
            let deep = try JSONMemberPath("['\(Plain.quoted(first))']['\(Plain.quoted(second))']")
            for (shape, plain) in [
                (JSONShape().keep(path), Plain(keep: [[first]])),
                (JSONShape().keep(deep), Plain(keep: [[first, second]])),
                (JSONShape().drop(path), Plain(drop: [[first]])),
                (JSONShape().drop(deep), Plain(drop: [[first, second]])),
            ] {
                let ours = Result { try document.shape(shape) }
                let theirs = Result { try plain.value(document, []) }
                shaped += 1
                switch (ours, theirs) {
                case (.success(let ours), .success(let theirs)):
                    #expect(Plain.compact(ours) == theirs, "\(document)")
                    _ = try JSONFragment(validating: ours.bytes)
                case (.failure, .failure): break
                default: Issue.record("\(ours), but \(theirs): \(document)")
                }
            }
        }
        #expect(shaped > 10_000)
    }
}

/// The same operations, written in the plainest way: on decoded names, one value after the other.
private struct Plain {
    var keep: [[String]] = []
    var drop: [[String]] = []

    struct NotAnObject: Error {}

    static func names(in fragment: JSONFragment) -> [String] {
        var names = fragment.members.map(\.name)
        for value in fragment.members.map(\.value) + fragment.elements { names += Self.names(in: value) }
        return names
    }

    static func quoted(_ name: String) -> String {
        name.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }

    /// The value without white space between its parts, and with names as they are decoded.
    static func compact(_ fragment: JSONFragment) -> String {
        switch fragment.kind {
        case .object:
            "{" + fragment.members.map { literal($0.name) + ":" + compact($0.value) }.joined(separator: ",")
                + "}"
        case .array: "[" + fragment.elements.map(compact).joined(separator: ",") + "]"
        default: fragment.description
        }
    }

    private static func literal(_ name: String) -> String { JSONFragment(string: name).description }

    func value(_ fragment: JSONFragment, _ path: [String]) throws -> String {
        switch fragment.kind {
        case .null: return "null"
        case .array:
            return "[" + (try fragment.elements.map { try value($0, path) }).joined(separator: ",") + "]"
        case .object:
            var members: [String] = []
            for (name, member) in fragment.members {
                let here = path + [name]
                guard !drop.contains(where: { same($0, here) }), isKept(here) || leadsToKept(here) else {
                    continue
                }
                members.append(Self.literal(name) + ":" + (try value(member, here)))
            }
            return "{" + members.joined(separator: ",") + "}"
        case .bool, .number, .string:
            guard keep.isEmpty || isKept(path) else { throw NotAnObject() }
            return fragment.description
        }
    }

    private func isKept(_ path: [String]) -> Bool {
        keep.isEmpty || keep.contains { $0.count <= path.count && same($0, Array(path.prefix($0.count))) }
    }

    private func leadsToKept(_ path: [String]) -> Bool {
        keep.contains { $0.count > path.count && same(Array($0.prefix(path.count)), path) }
    }

    private func same(_ one: [String], _ other: [String]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
}
