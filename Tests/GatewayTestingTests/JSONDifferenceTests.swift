import JSONBytes
import Testing

@testable import GatewayTesting

@Suite("The difference between a body and the JSON of a stub")
struct JSONDifferenceTests {
    private func difference(_ body: String, _ wanted: String, _ comparison: JSONComparison) throws -> String?
    {
        let body = try JSONFragment(parsing: body)
        let wanted = try JSONFragment(parsing: wanted)
        return JSONDifference(body, from: wanted, comparison)?.description
    }

    @Test(
        "Values that differ have their place, in both comparisons",
        arguments: [
            ("1", "2", "the body is 1, not 2"),
            ("[1]", "{}", "the body is [1], not {}"),
            ("null", "false", "the body is null, not false"),
            (#"{"a/b":[1,{"c":"x"}]}"#, #"{"a/b":[1,{"c":"y"}]}"#, #"/a~1b/1/c is "x", not "y""#),
            ("[1,2]", "[1]", "the body has 2 elements, not 1"),
            (#"{"a":[]}"#, #"{"a":[0]}"#, "/a has 0 elements, not 1"),
            (#"{"a":{}}"#, #"{"a":{"b":null}}"#, "/a/b is missing"),
        ])
    func places(body: String, wanted: String, text: String) throws {
        for comparison in [JSONComparison.whole, .containing] {
            let found = try difference(body, wanted, comparison)
            #expect(found == text || found == "\(text), in the body \(body)")
        }
    }

    @Test(
        "Further members differ from a whole body and not from a part of it",
        arguments: [
            (#"{"a":1,"b":2}"#, #"{"a":1}"#, "/b"),
            (#"{"a":[{"b":1,"c":2}]}"#, #"{"a":[{"b":1}]}"#, "/a/0/c"),
            (#"{"a":null}"#, "{}", "/a"),
        ])
    func further(body: String, wanted: String, place: String) throws {
        let text = try difference(body, wanted, .whole)
        let start = "\(place) is a further member, which only jsonContaining: allows"
        #expect(text == "\(start), in the body \(body)")
        #expect(try difference(body, wanted, .containing) == nil)
    }

    @Test("A member given twice is not the same value as a member given once")
    func repeated() throws {
        #expect(try difference(#"{"a":1,"a":1}"#, #"{"a":1}"#, .whole)?.contains("is 2, not 1") == true)
        #expect(try difference(#"{"a":2,"a":1}"#, #"{"a":1}"#, .containing) == nil)
    }

    @Test("The order of members and the spelling of numbers and strings do not count")
    func spelling() throws {
        for comparison in [JSONComparison.whole, .containing] {
            #expect(try difference(#"{"b":1.0,"a":"\u0041"}"#, #"{"a":"A","b":1}"#, comparison) == nil)
        }
    }
}
