import FoundationEssentials
import Networking
import Testing

@Suite("Models as URL-encoded forms")
struct URLEncodedFormTests {
    private func encode(
        _ value: some Encodable, _ set: (inout URLEncodedFormEncoder) -> Void = { _ in }
    ) throws -> String {
        var encoder = URLEncodedFormEncoder()
        encoder.keyPathEncoding = .dots
        set(&encoder)
        return try encoder.encode(value)
    }

    // MARK: - Errors

    @Test("A list, a string or a number is rejected as the root")
    func root() throws {
        #expect(throws: EncodingError.self) { try encode([1, 2]) }
        #expect(throws: EncodingError.self) { try encode("a") }
        #expect(throws: EncodingError.self) { try encode(1) }
    }

    private struct Outer: Encodable {
        var inner: [Inner]
        struct Inner: Encodable { var value: Double }
    }

    @Test("An error names the coding path")
    func codingPath() throws {
        let error = #expect(throws: EncodingError.self) {
            try encode(Outer(inner: [.init(value: 1), .init(value: .nan)]))
        }
        guard case .invalidValue(_, let context) = error else { return #expect(Bool(false)) }
        #expect(context.codingPath.map(\.stringValue) == ["inner", "Index 1", "value"])
    }

    private struct Refusal: Error {}

    @Test("An error thrown by a strategy is reported with the coding path")
    func throwingStrategy() throws {
        let error = #expect(throws: EncodingError.self) {
            try encode(["at": Date(timeIntervalSince1970: 0)]) {
                $0.dateEncoding = .custom { _ in throw Refusal() }
            }
        }
        guard case .invalidValue(_, let context) = error else { return #expect(Bool(false)) }
        #expect(context.codingPath.map(\.stringValue) == ["at"])
        #expect(context.underlyingError is Refusal)
    }

    // MARK: - Structure

    private struct Person: Encodable {
        var name = "x y"
        var age = 7
        var tags = ["a", "b"]
        var address = Address()
        struct Address: Encodable { var city = "서울" }
    }

    @Test("Nested keys are written with brackets by default, as in Alamofire, or with dots")
    func nested() throws {
        #expect(
            try URLEncodedFormEncoder().encode(Person())
                == "address%5Bcity%5D=%EC%84%9C%EC%9A%B8&age=7&name=x%20y&tags%5B%5D=a&tags%5B%5D=b")
        #expect(
            try encode(Person()) { $0.arrayEncoding = .repeated }
                == "address.city=%EC%84%9C%EC%9A%B8&age=7&name=x%20y&tags=a&tags=b")
    }

    @Test("Keys are sorted unless sorting is turned off")
    func order() throws {
        #expect(try encode(Person()) { $0.sortsKeys = false }.hasPrefix("name=x%20y&age=7&tags"))
        #expect(try encode(["b": 1, "a": 2, "c": 3]) == "a=2&b=1&c=3")
    }

    @Test("Lists of models are named with indices or by a closure")
    func listsOfModels() throws {
        let value = Outer(inner: [.init(value: 1.5), .init(value: 2)])
        #expect(
            try encode(value) { $0.arrayEncoding = .indexed }
                == "inner%5B0%5D.value=1.5&inner%5B1%5D.value=2.0")
        #expect(
            try encode(value) { $0.arrayEncoding = .custom { "\($0)-\($1)" } }
                == "inner-0.value=1.5&inner-1.value=2.0")
    }

    private class Base: Encodable {
        var base = 1
    }

    private final class Derived: Base {
        var own = 2

        enum Key: CodingKey { case own }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(own, forKey: .own)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test("A superclass is encoded under its own key")
    func superclass() throws {
        #expect(try encode(Derived()) == "own=2&super.base=1")
    }

    @Test("Numbers of every width are exact")
    func numbers() throws {
        struct Numbers: Encodable {
            var a = UInt64.max
            var b = Int64.min
            var c: Float = 0.1
            var d = 1e21
            var e = Decimal(string: "0.10000000000000000001")
        }
        #expect(
            try encode(Numbers())
                == "a=18446744073709551615&b=-9223372036854775808&c=0.1&d=1e%2B21&e=0.10000000000000000001")
    }

    // MARK: - Strategies

    private struct Keys: Encodable {
        var oneTwoThree = 1
        var myURLProperty = 2
    }

    @Test("Keys are written as the strategy specifies")
    func keys() throws {
        let expected: [(URLEncodedFormEncoder.KeyEncoding, String)] = [
            (.useDefaultKeys, "myURLProperty=2&oneTwoThree=1"),
            (.convertToSnakeCase, "my_url_property=2&one_two_three=1"),
            (.convertToKebabCase, "my-url-property=2&one-two-three=1"),
            (.capitalized, "MyURLProperty=2&OneTwoThree=1"),
            (.uppercased, "MYURLPROPERTY=2&ONETWOTHREE=1"),
            (.lowercased, "myurlproperty=2&onetwothree=1"),
            (.custom { "x" + $0 }, "xmyURLProperty=2&xoneTwoThree=1"),
        ]
        for (strategy, text) in expected {
            #expect(try encode(Keys()) { $0.keyEncoding = strategy } == text)
        }
    }

    @Test("Dates are written as the strategy specifies")
    func dates() throws {
        let date = Date(timeIntervalSince1970: 1_795_161_600.5)
        let whole = Date(timeIntervalSince1970: 1_795_161_600)
        let expected: [(URLEncodedFormEncoder.DateEncoding, Date, String)] = [
            (.deferredToDate, whole, "a=\(whole.timeIntervalSinceReferenceDate)"),
            (.iso8601, date, "a=2026-11-20T08%3A00%3A00Z"),
            (.secondsSince1970, date, "a=1795161600.5"), (.secondsSince1970, whole, "a=1795161600"),
            (.millisecondsSince1970, date, "a=1795161600500"),
            (.formatted(.iso8601.year().month().day()), date, "a=2026-11-20"),
            (.custom { _ in "then" }, date, "a=then"),
        ]
        for (strategy, date, text) in expected {
            #expect(try encode(["a": date]) { $0.dateEncoding = strategy } == text)
        }
    }

    @Test("Data is written as the strategy specifies")
    func data() throws {
        let data = Data([1, 0xfb, 0xff])
        #expect(try encode(["a": data]) == "a=Afv/")
        #expect(
            try encode(["a": data]) {
                $0.dataEncoding = .deferredToData; $0.arrayEncoding = .repeated
            }
                == "a=1&a=251&a=255")
        #expect(try encode(["a": data]) { $0.dataEncoding = .custom { "\($0.count)" } } == "a=3")
    }

    @Test("Booleans are numeric by default, as in Alamofire, or literal")
    func booleans() throws {
        #expect(try encode(["a": true, "b": false]) == "a=1&b=0")
        #expect(try encode(["a": true, "b": false]) { $0.boolEncoding = .literal } == "a=true&b=false")
    }

    private struct Optionals: Encodable {
        var a: Int?
        var b: String?
        var c: Double?
        var d: Date?
        var e = [1, nil]
        var f = 1
    }

    @Test("nil drops its key, drops its value or becomes a word, as the strategy specifies")
    func nils() throws {
        let expected: [(URLEncodedFormEncoder.NilEncoding, String)] = [
            (.dropKey, "e=1&f=1"), (.dropValue, "a=&b=&c=&d=&e=1&e=&f=1"),
            (.null, "a=null&b=null&c=null&d=null&e=1&e=null&f=1"),
            (.custom { "-" }, "a=-&b=-&c=-&d=-&e=1&e=-&f=1"), (.custom { nil }, "e=1&f=1"),
        ]
        for (strategy, text) in expected {
            #expect(
                try encode(Optionals()) {
                    $0.nilEncoding = strategy; $0.arrayEncoding = .repeated
                } == text)
        }
    }

    @Test("A space is written as %20 or +")
    func spaces() throws {
        #expect(try encode(["a b": "c d+"]) == "a%20b=c%20d%2B")
        #expect(try encode(["a b": "c d+"]) { $0.spaceEncoding = .plusReplaced } == "a+b=c+d%2B")
    }

    @Test("Characters are escaped as in Alamofire's afURLQueryAllowed")
    func escaping() throws {
        #expect(
            try encode(["a": ":#[]@!$&'()*+,;=/?-._~"])
                == "a=%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?-._~")
    }
}
