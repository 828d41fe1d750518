import JSONBytes
import Testing

@Suite("What a shape does to one member")
struct JSONShapeMembersTests {
    private static let object = #"{"a":{"x":1,"y":{"p":2,"q":3}},"b":[{"x":4,"y":5},{"z":6}],"c":7,"d":null}"#

    private static let shapes: [JSONShape] = [
        JSONShape(), JSONShape().keep(), JSONShape().keep("a", "d"), JSONShape().keep("a.y.p", "b.x"),
        JSONShape().keep("a", "a.x", "b").drop("a.y.q", "b.y"), JSONShape().drop("a", "b.x"),
        JSONShape().rename(["a": "k", "b.x": "m", "c": "n"]),
        JSONShape().keep("a.y", "c").drop("a.y.p").rename(["a.y.q": "r", "c": "s"]),
    ]

    @Test("A shape does the same to an object as to its members one by one", arguments: shapes)
    func equivalence(shape: JSONShape) throws {
        let object = try JSONFragment(parsing: Self.object)
        var members: [String] = []
        for (name, value) in object.members {
            guard case .kept(let newName, let below) = shape.change(of: Array(name.utf8)) else { continue }
            let value = try below.map { try value.shape($0) } ?? value
            members.append("\"\(newName.map { String(decoding: $0, as: UTF8.self) } ?? name)\":\(value)")
        }
        #expect(try object.shape(shape).description == "{\(members.joined(separator: ","))}")
    }

    @Test("The names that stay are known if only some are kept")
    func names() {
        #expect(JSONShape().drop("a").keptNames == nil)
        let kept = JSONShape().keep("a", "b.c").drop("x").rename(["y": "z"]).keptNames
        #expect(kept == [Array("a".utf8), Array("b".utf8)])
        #expect(JSONShape().keep().keptNames == [])
    }
}
