import Foundation
import JSONBytes
import JSONCoding
import Testing

/// Tests nested containers and super encoders, and the coding paths and user info that they pass on.
@Suite("Nested containers of encoders")
struct NestedEncodingTests {
    private func encode(_ value: some Encodable, sorted: Bool = false) throws -> String {
        var encoder = JSONBytesEncoder()
        encoder.outputFormatting = sorted ? [.sortedKeys] : []
        let fragment = try encoder.encode(value)
        #expect(try JSONFragment(validating: fragment.bytes) == fragment)
        return fragment.description
    }

    private func path(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    @Test("An array may contain nested objects, nested arrays, nulls and values of super encoders")
    func arrays() throws {
        let value = EncodedBy { encoder in
            var list = encoder.unkeyedContainer()
            var object = list.nestedContainer(keyedBy: AnyKey.self)
            try list.encodeNil()
            var inner = list.nestedUnkeyedContainer()
            try object.encode(1, forKey: AnyKey("a"))
            try object.encodeNil(forKey: AnyKey("b"))
            try inner.encodeNil()
            try "s".encode(to: list.superEncoder())
            #expect(list.count == 4)
        }
        #expect(try encode(value) == #"[{"a":1,"b":null},null,[null],"s"]"#)
    }

    @Test("Each container and encoder has the coding path of its value")
    func codingPaths() throws {
        let value = EncodedBy { encoder in
            var object = encoder.container(keyedBy: AnyKey.self)
            #expect(path(object.codingPath) == "")
            #expect(path(object.superEncoder().codingPath) == "super")
            #expect(path(object.superEncoder(forKey: AnyKey("other")).codingPath) == "other")
            var list = object.nestedUnkeyedContainer(forKey: AnyKey("list"))
            try list.encode(0)
            #expect(path(list.codingPath) == "list")
            #expect(path(list.superEncoder().codingPath) == "list.1")
            #expect(path(list.nestedContainer(keyedBy: AnyKey.self).codingPath) == "list.2")
            #expect(path(list.nestedUnkeyedContainer().codingPath) == "list.3")
            let nested = object.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("nested"))
            #expect(path(nested.codingPath) == "nested")
            try object.encode(
                [
                    EncodedBy { inner in
                        #expect(path(inner.codingPath) == "values.0")
                        #expect(path(inner.unkeyedContainer().codingPath) == "values.0")
                    },
                    EncodedBy { inner in
                        #expect(path(inner.container(keyedBy: AnyKey.self).codingPath) == "values.1")
                        #expect(path(inner.codingPath) == "values.1")
                    },
                ], forKey: AnyKey("values"))
            #expect(path(encoder.codingPath) == "")
        }
        #expect(
            try encode(value)
                == #"{"super":{},"other":{},"list":[0,{},{},[]],"nested":{},"values":[[],{}]}"#)
    }

    @Test("Every encoder has the user info")
    func userInfo() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "key"))
        var encoder = JSONBytesEncoder()
        encoder.userInfo = [key: "value"]
        let value = EncodedBy { encoder in
            #expect(encoder.userInfo[key] as? String == "value")
            var list = encoder.unkeyedContainer()
            #expect(list.superEncoder().userInfo[key] as? String == "value")
        }
        #expect(try encoder.encode(value).description == "[{}]")
    }

    @Test("Requesting a nested container again for the same key returns the same container")
    func requestedAgain() throws {
        let value = EncodedBy { encoder in
            var object = encoder.container(keyedBy: AnyKey.self)
            for (key, member) in [("a", 1), ("b", 2), ("a", 3), ("b", 4)] {
                var nested = object.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(key))
                try nested.encode(member, forKey: AnyKey("\(member)"))
            }
            for element in 5...6 {
                var list = object.nestedUnkeyedContainer(forKey: AnyKey("c/\""))
                try list.encode(element)
            }
        }
        #expect(try encode(value) == #"{"a":{"1":1,"3":3},"b":{"2":2,"4":4},"c\/\"":[5,6]}"#)
    }

    @Test("A value with its own nested containers may be encoded before the outer containers are filled")
    func nestedWithinNested() throws {
        let value = EncodedBy { encoder in
            var object = encoder.container(keyedBy: AnyKey.self)
            var outer = object.nestedUnkeyedContainer(forKey: AnyKey("outer"))
            try object.encode(
                EncodedBy { inner in
                    var list = inner.unkeyedContainer()
                    var nested = list.nestedUnkeyedContainer()
                    try nested.encode(1)
                }, forKey: AnyKey("value"))
            try outer.encode(2)
        }
        #expect(try encode(value) == #"{"outer":[2],"value":[[1]]}"#)
    }

    @Test("Members are sorted and repeated members removed after nested containers are filled")
    func sortedAroundNestedContainers() throws {
        let value = EncodedBy { encoder in
            var object = encoder.container(keyedBy: AnyKey.self)
            try object.encode(0, forKey: AnyKey("long name z"))
            for name in ["long name x", "long name y", "long name a"] {
                var list = object.nestedUnkeyedContainer(forKey: AnyKey(name))
                try list.encode(name)
            }
            try object.encode(1, forKey: AnyKey("long name c"))
            try object.encode(2, forKey: AnyKey("long name b"))
            try object.encode(3, forKey: AnyKey("long name z"))
        }
        let lists = #""long name x":["long name x"],"long name y":["long name y"]"#
        let first = #""long name a":["long name a"]"#
        #expect(
            try encode(value)
                == "{\(lists),\(first),\"long name c\":1,\"long name b\":2,\"long name z\":3}")
        #expect(
            try encode(value, sorted: true)
                == "{\(first),\"long name b\":2,\"long name c\":1,\(lists),\"long name z\":3}")
    }

    @Test("A dictionary that fails to encode does not turn off the key strategy")
    func failingDictionary() throws {
        var encoder = JSONBytesEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let value = EncodedBy { encoder in
            var list = encoder.unkeyedContainer()
            let failing = ["firstName": EncodedBy { _ in throw CancellationError() }]
            #expect(throws: CancellationError.self) { try list.encode(failing) }
            try list.encode(Models.SnakeNames(firstName: "a", nested: ["keyOne": 1]))
        }
        #expect(
            try encoder.encode(value).description == #"[{"first_name":"a","nested":{"keyOne":1}}]"#)
    }

    @Test("An infinity or NaN that fails to encode adds nothing to any container")
    func nonFiniteNumbersLeaveNoTrace() throws {
        let value = EncodedBy { encoder in
            var list = encoder.unkeyedContainer()
            #expect(throws: EncodingError.self) { try list.encode(Double.nan) }
            #expect(throws: EncodingError.self) { try list.encode(-Float.infinity) }
            var object = list.nestedContainer(keyedBy: AnyKey.self)
            #expect(throws: EncodingError.self) { try object.encode(Double.infinity, forKey: AnyKey("a")) }
            #expect(throws: EncodingError.self) { try object.encode(Float.nan, forKey: AnyKey("b")) }
            try object.encode(Float(0.5), forKey: AnyKey("c"))
            try list.encode(Float(1.5))
            try list.encode(2.5)
        }
        #expect(try encode(value) == #"[{"c":0.5},1.5,2.5]"#)
    }
}
