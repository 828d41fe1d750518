import Foundation
import JSONBytes

/// Times the choice of three members of a product by a shape, by `keep`, and by a look-up each and a
/// composer.
enum Shapes {
    private static let product =
        #"{"id":70731,"title":"Lamp","description":"\#(String(repeating: "bright ", count: 40))","#
        + #""margin":0.41,"seller":{"id":2,"name":"Ada","since":"2021-04-01"},"images":["a.jpg","b.jpg","c.jpg"],"stock":3}"#
    private static let card = JSONShape().keep("id", "title", "stock")

    static func run(_ seconds: Double) throws {
        let product = try JSONFragment(parsing: product)
        let expected = #"{"id":70731,"title":"Lamp","stock":3}"#
        let ways: [(String, () throws -> JSONFragment)] = [
            ("three members by a shape", { try product.shape(card) }),
            ("three members by keep", { try product.keep("id", "title", "stock") }),
            ("three members by look-ups and a composer", { compose(product) }),
            ("one member by pick", { try product.pick("/seller") }),
            ("one member by a look-up", { product.value(at: "/seller") ?? .null }),
        ]
        for (name, way) in ways {
            let isRight = try !name.hasPrefix("three") || way().description == expected
            precondition(isRight, name)
            let perSecond = try JSONBench.rate(of: 1_000_000, seconds) { _ = try way() }
            print(String(format: "%@\t%.0f ns", name, 1e9 / perSecond))
        }
    }

    private static func compose(_ product: JSONFragment) -> JSONFragment {
        var composer = JSONComposer()
        composer.beginObject()
        for name in ["id", "title", "stock"] {
            guard let value = product[member: name] else { continue }
            composer.key(name)
            composer.fragment(value)
        }
        composer.endObject()
        return composer.fragment()
    }
}
