import Foundation
import JSONBytes
import JSONCoding
import Testing

/// Tests nested containers and the names and coding paths in them.
@Suite("Nested containers of decoders")
struct NestedDecodingTests {
    @Test("A nested container or super decoder of an array advances to the next element")
    func arrays() throws {
        struct Reader: Decodable {
            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                let object = try list.nestedContainer(keyedBy: AnyKey.self)
                #expect(list.currentIndex == 1)
                #expect(object.codingPath.map(\.stringValue) == ["Index 0"])
                #expect(object.codingPath.map(\.intValue) == [0])
                var inner = try list.nestedUnkeyedContainer()
                #expect(inner.codingPath.map(\.stringValue) == ["Index 1"])
                let parent = try list.superDecoder()
                #expect(parent.codingPath.map(\.stringValue) == ["Index 2"])
                #expect(try Int(from: parent) == 7)
                #expect(try object.decode(Int.self, forKey: AnyKey("a")) == 1)
                #expect(try inner.decode(Int.self) == 2)
                #expect(try list.decodeIfPresent(Int.self) == 3)
                #expect(try list.decodeIfPresent(Int.self) == nil)
                #expect(try list.decodeIfPresent([Int].self) == [4])
                #expect(try list.decodeIfPresent([Int].self) == nil)
                #expect(list.currentIndex == 6 && list.isAtEnd)
            }
        }
        _ = try JSONBytesDecoder().decode(
            Reader.self, from: Array(#"[{"a":1},[2],7,3,null,[4]]"#.utf8))
    }

    @Test(
        "The count of an array is correct with any white space",
        arguments: [
            ("[]", 0), ("[ ]", 0), ("[1]", 1), ("[ 1 ]", 1), ("[1, 2, 3]", 3), ("[1 ,2 ,3]", 3),
            ("[\n[1, 2] , {\"a\": 3, \"b\": 4} , \"5, 6\"\n]", 3),
        ])
    func counts(_ text: String, _ count: Int) throws {
        struct Reader: Decodable {
            let count: Int?

            init(from decoder: any Decoder) throws { count = try decoder.unkeyedContainer().count }
        }
        #expect(try JSONBytesDecoder().decode(Reader.self, from: Array(text.utf8)).count == count)
    }

    @Test("A custom key strategy gets the whole coding path, as with Foundation")
    func customKeyPaths() throws {
        final class Paths: @unchecked Sendable {
            // Only the test's thread accesses this.
            var all: Set<String> = []
        }
        let document = #"{"unit":"kg","points":[{"date":"x","am":1},{"date":"y","am":2,"p\u006d":3}]}"#
        let (ours, theirs) = (Paths(), Paths())
        func strategy(_ paths: Paths) -> JSONDecoder.KeyDecodingStrategy {
            .custom { path in
                paths.all.insert(
                    path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "."))
                return path[path.count - 1]
            }
        }
        var decoder = JSONBytesDecoder()
        decoder.keyDecodingStrategy = strategy(ours)
        let foundation = JSONDecoder()
        foundation.keyDecodingStrategy = strategy(theirs)
        let chart = try decoder.decode(Models.Chart.self, from: Array(document.utf8))
        #expect(try foundation.decode(Models.Chart.self, from: Data(document.utf8)) == chart)
        #expect(ours.all == theirs.all)
        #expect(ours.all.contains("points.1.pm"))
    }

    @Test("A failed attempt to decode a dictionary does not turn off the key strategy")
    func dictionaryTries() throws {
        struct Model: Decodable {
            var firstName: Int
        }
        struct Reader: Decodable {
            let model: Model

            init(from decoder: any Decoder) throws {
                // Dictionaries keep their names unconverted. This one fails at its value.
                #expect(throws: DecodingError.self) { try [String: [Int]](from: decoder) }
                let container = try decoder.singleValueContainer()
                #expect(throws: DecodingError.self) { try container.decode([String: [Int]].self) }
                model = try container.decode(Model.self)
            }
        }
        struct Lists: Decodable {
            let model: Model

            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                // An array cannot be decoded as a dictionary.
                #expect(throws: DecodingError.self) { try list.decode([String: Int].self) }
                _ = try list.decode([Int].self)
                model = try list.decode(Model.self)
            }
        }
        var decoder = JSONBytesDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let object = Array(#"{"first_name":1}"#.utf8)
        #expect(try decoder.decode(Reader.self, from: object).model.firstName == 1)
        #expect(try decoder.decode([String: Int].self, from: object) == ["first_name": 1])
        let list = Array(#"[[1],{"first_name":2}]"#.utf8)
        #expect(try decoder.decode(Lists.self, from: list).model.firstName == 2)
    }

    @Test("A document in Data is decoded like a document in an array of bytes")
    func data() throws {
        let text = #"{"value":7,"next":[]}"#
        let list = try JSONBytesDecoder().decode(Models.List.self, from: Data(text.utf8))
        #expect(list.value == 7 && list.next?.isEmpty == true)
    }
}
