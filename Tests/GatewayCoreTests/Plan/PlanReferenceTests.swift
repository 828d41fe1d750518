import EndpointPlans
import GatewayCore
import JSONBytes
import Testing

@Suite("Places that the references of a plan name")
struct PlanReferenceTests {
    @Test(
        "A path leads to names, elements, quoted names and lists",
        arguments: [
            ("item", #"{"a":[{"b":1},{"b":2},{"c":3}],"x.y":[[1],[2,3]],"n":null}"#),
            ("item.a[1].b", "2"), ("item['a'][0]['b']", "1"), ("item['x.y'][1][0]", "2"),
            ("item.a[*].b", "[1,2]"), ("item['x.y'][*][*]", "[1,2,3]"), ("item.n", "null"),
            ("item.n[*].b", "null"), ("item.a[0][*]", "[1]"),
        ])
    func found(text: String, expected: String) {
        #expect(reference(text).path.value(in: Self.sample)?.description == expected)
    }

    @Test(
        "A path that leads nowhere has no value",
        arguments: ["item.z", "item.a[3]", "item.a.b", "item.a[0].b[*]", "item.z[*].b", "item.n.x"])
    func missing(text: String) {
        #expect(reference(text).path.value(in: Self.sample) == nil)
    }

    private static let literal: JSONLiteral =
        ["a": [["b": 1], ["b": 2], ["c": 3]], "x.y": [[1], [2, 3]], "n": nil]
    private static var sample: JSONFragment { literal.fragment }
}
