import FoundationEssentials
import HTTPModel
import Networking
import NetworkingCompatibility
import Testing

@Suite("Parameters")
struct ParameterTests {
    private let tags: Parameters = ["tag": ["a", "b"]]

    // MARK: - Errors

    @Test(
        "A parameter that cannot be encoded fails the call and is named in the message",
        arguments: [
            (["n": Double.infinity], ParameterEncoding.query), (["n": Double.nan], .form),
            (["o": ["n": [Double.nan]]], .query), (["o": ["n": [Double.nan]]], .json),
            (["l": [["a"]]], .query), (["a": 1, "a": 2], .json),
            (["o": ["a": 1, "a": 2] as Parameters], .json),
        ] as [(Parameters, ParameterEncoding)])
    func unwritable(parameters: Parameters, encoding: ParameterEncoding) throws {
        let error = try Outgoing.refusal(
            Anything(method: .post, task: .parameters(parameters, encoding: encoding)))
        #expect(error.reason == .requestError)
        #expect(error.message.hasPrefix("parameter "))
    }

    // MARK: - Names

    @Test("A subscript replaces a parameter at its place, appends a new one, and removes it with nil")
    func named() throws {
        var parameters: Parameters = ["q": "old", "page": 1, "q": "older"]
        let none: String? = nil
        parameters["q"] = "new"
        parameters["sort"] = "stars"
        parameters["page"] = none
        parameters["ref"] = none
        #expect(parameters["q"]?.parameterValue == .text("new"))
        #expect(parameters["page"] == nil || parameters["page"]?.parameterValue == .absent)
        #expect(try Outgoing.query(parameters, .query) == "q=new&sort=stars")
    }

    // MARK: - Lists

    @Test("A list repeats its name, adds brackets or indices, or takes its names from a closure")
    func lists() throws {
        #expect(try Outgoing.query(tags, .query) == "tag=a&tag=b")
        #expect(try Outgoing.query(tags, .query(lists: .brackets)) == "tag%5B%5D=a&tag%5B%5D=b")
        #expect(try Outgoing.query(tags, .query(lists: .indexed)) == "tag%5B0%5D=a&tag%5B1%5D=b")
        let custom = ParameterEncoding.query(lists: .custom { "\($0).\($1)" })
        #expect(try Outgoing.query(tags, custom) == "tag.0=a&tag.1=b")
        #expect(try Outgoing.query(["tag": [String]()], .query(lists: .brackets)) == nil)
    }

    @Test("A nested list adds brackets or indices at each level")
    func nestedLists() throws {
        let parameters: Parameters = ["l": [["a", "b"], ["c"]]]
        #expect(
            try Outgoing.query(parameters, .query(lists: .brackets))
                == "l%5B%5D%5B%5D=a&l%5B%5D%5B%5D=b&l%5B%5D%5B%5D=c")
        #expect(
            try Outgoing.query(parameters, .query(lists: .indexed))
                == "l%5B0%5D%5B0%5D=a&l%5B0%5D%5B1%5D=b&l%5B1%5D%5B0%5D=c")
    }

    // MARK: - Objects

    @Test("Nested parameters are named with brackets or dots")
    func objects() throws {
        let parameters: Parameters = ["user": ["name": "x y", "address": ["city": "서울"]] as ParameterValue]
        #expect(
            try Outgoing.query(parameters, .query)
                == "user%5Bname%5D=x%20y&user%5Baddress%5D%5Bcity%5D=%EC%84%9C%EC%9A%B8")
        #expect(
            try Outgoing.query(parameters, .query(members: .dots))
                == "user.name=x%20y&user.address.city=%EC%84%9C%EC%9A%B8")
        let mixed: Parameters = ["a": [["b": [1, 2]]] as ParameterValue]
        #expect(
            try Outgoing.query(mixed, .query(lists: .indexed))
                == "a%5B0%5D%5Bb%5D%5B0%5D=1&a%5B0%5D%5Bb%5D%5B1%5D=2")
    }

    @Test("The members of a dictionary are sorted, and the members of a literal keep their order")
    func dictionaries() throws {
        #expect(try Outgoing.query(["o": ["b": 1, "a": 2]], .query(members: .dots)) == "o.a=2&o.b=1")
        #expect(
            try Outgoing.query(["o": ["b": 1, "a": 2] as Parameters], .query(members: .dots)) == "o.b=1&o.a=2"
        )
    }

    @Test("null is written as a name without a value, and nil is left out")
    func null() throws {
        let none: Int? = nil
        #expect(try Outgoing.query(["a": ParameterValue.null, "b": none, "c": 1], .query) == "a=&c=1")
    }

    // MARK: - Values

    @Test("Booleans are literal or numeric")
    func booleans() throws {
        #expect(try Outgoing.query(["a": true, "b": false], .query) == "a=true&b=false")
        #expect(try Outgoing.query(["a": true, "b": false], .query(booleans: .numeric)) == "a=1&b=0")
    }

    private enum Keyword: String, ParameterConvertible { case recent }

    @Test("Numbers of every width, raw values of enums and UUIDs are written as values")
    func values() throws {
        let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect(
            try Outgoing.query(
                [
                    "a": Int8(-1), "b": UInt32.max, "c": Int64.min, "k": Keyword.recent, "id": id, "d": 0.1,
                    "f": Float(0.1),
                ],
                .query)
                == "a=-1&b=4294967295&c=-9223372036854775808&k=recent&id=\(id.uuidString)&d=0.1&f=0.1")
    }

    // MARK: - Escaping

    @Test("A query keeps RFC 3986's unreserved characters, / and ?, and percent-encodes the rest")
    func queryEscaping() throws {
        let value = "AZaz09-._~/?:#[]@!$&'()*+,;= %\"<>^`{|}\u{7f}é"
        let escaped =
            "AZaz09-._~/?%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%20%25%22%3C%3E%5E%60%7B%7C%7D%7F%C3%A9"
        #expect(try Outgoing.query([value: value], .query) == "\(escaped)=\(escaped)")
    }

    @Test("A form also encodes / and ?, and writes a space as + by default")
    func formEscaping() throws {
        let parameters: Parameters = ["a b": "/?+ "]
        #expect(try Outgoing.body(.parameters(parameters, encoding: .form)) == "a+b=%2F%3F%2B+")
        #expect(
            try Outgoing.body(.parameters(parameters, encoding: .form(spaces: .percentEscaped)))
                == "a%20b=%2F%3F%2B%20")
    }

    // MARK: - Order

    @Test("Parameters keep their order unless sorted, and parameters of the same name always keep it")
    func order() throws {
        let parameters: Parameters = ["b": 1, "a": 2, "b": 0, "o": ["z": 1, "y": 2] as Parameters]
        #expect(try Outgoing.query(parameters, .query(members: .dots)) == "b=1&a=2&b=0&o.z=1&o.y=2")
        #expect(
            try Outgoing.query(parameters, .query(members: .dots, sortsKeys: true))
                == "a=2&b=1&b=0&o.y=2&o.z=1")
    }

    // MARK: - Destination

    @Test("By default, parameters go into the query for GET, HEAD and DELETE, and otherwise into the body")
    func byMethod() throws {
        for method in [HTTPMethod.get, .head, .delete, .post, .put, .patch, .options] {
            let call = try Outgoing.call(
                Anything(method: method, task: .parameters(["a": "b c"], encoding: .url())))
            let inQuery = [.get, .head, .delete].contains(method)
            #expect(call.query == (inQuery ? "a=b%20c" : nil))
            #expect(try call.body.collect() == (inQuery ? [] : Array("a=b%20c".utf8)[...]))
            #expect(
                call.fields[.contentType] == (inQuery ? nil : "application/x-www-form-urlencoded"))
        }
    }

    @Test("An explicit destination applies to every method")
    func destination() throws {
        let query = try Outgoing.call(
            Anything(method: .post, task: .parameters(["a": 1], encoding: .url(.queryString))))
        #expect(query.query == "a=1")
        #expect(query.body.isNone)
        let body = try Outgoing.call(
            Anything(method: .get, task: .parameters(["a": 1], encoding: .url(.httpBody))))
        #expect(body.query == nil)
        #expect(try body.body.collect() == Array("a=1".utf8)[...])
    }

    @Test("Alamofire's encodings behave as in Alamofire")
    func alamofire() throws {
        let parameters: Parameters = ["b": true, "a": ["x", "y"], "c": "/ ?"]
        let text = "a%5B%5D=x&a%5B%5D=y&b=1&c=/%20?"
        #expect(try Outgoing.query(parameters, URLEncoding.default) == text)
        #expect(try Outgoing.query(parameters, URLEncoding.queryString) == text)
        #expect(try Outgoing.body(.parameters(parameters, encoding: URLEncoding.default)) == text)
        #expect(try Outgoing.body(.parameters(parameters, encoding: URLEncoding.httpBody)) == text)
        #expect(
            try Outgoing.body(.parameters(["b": 1, "a": 2], encoding: JSONEncoding.default))
                == #"{"b":1,"a":2}"#)
    }

    @Test(
        "Alamofire's encodings write a whole number as NSNumber does on Apple's platforms, others write its fraction"
    )
    func wholeNumbers() throws {
        let parameters: Parameters = [
            "a": 1.0, "b": -0.0, "c": Float(2), "d": 1.5, "e": [3.0], "f": 100_000.0,
        ]
        #expect(
            try Outgoing.query(parameters, URLEncoding.default)
                == "a=1&b=-0&c=2&d=1.5&e%5B%5D=3&f=100000")
        #expect(try Outgoing.query(["a": 1.0], .query) == "a=1.0")
        let nested: Parameters = ["a": 1.0, "b": [2.0, 2.5], "c": ["d": 3.0] as Parameters]
        #expect(
            try Outgoing.body(.parameters(nested, encoding: JSONEncoding.default))
                == #"{"a":1,"b":[2,2.5],"c":{"d":3}}"#)
        #expect(try Outgoing.body(.parameters(["a": 1.0], encoding: .json)) == #"{"a":1.0}"#)
        #expect(URLEncoding.default != .url(lists: .brackets, booleans: .numeric, sortsKeys: true))
        #expect(URLEncoding.default == URLEncoding.default)
    }

    // MARK: - Existing queries

    @Test(
        "Parameters follow the path's own query",
        arguments: [
            ("/x?a=1", "a=1&b=2"), ("/x?a=1&", "a=1&b=2"), ("/x?", "b=2"), ("/x?a", "a&b=2"), ("/x", "b=2"),
        ])
    func keptQuery(path: String, query: String) throws {
        #expect(try Outgoing.query(["b": 2], .query, path: RequestPath(encoded: path)) == query)
    }

    @Test("Without parameters, a query stays unchanged")
    func queryWithoutParameters() throws {
        let none: Int? = nil
        #expect(try Outgoing.query(["b": none], .query, path: "/x?a=1") == "a=1")
        #expect(try Outgoing.query([:], .query, path: "/x?a=1") == "a=1")
    }

    // MARK: - JSON

    @Test("In JSON, lists and objects keep their structure, nil is left out and null stays null")
    func json() throws {
        let none: Int? = nil
        let parameters: Parameters = [
            "user": ["name": "\"x\"", "tags": [1, "a", true, nil, [0.5]]] as ParameterValue,
            "none": none, "empty": [Int](), "deleted": ParameterValue.null,
        ]
        #expect(
            try Outgoing.body(.parameters(parameters, encoding: .json))
                == #"{"user":{"name":"\"x\"","tags":[1,"a",true,null,[0.5]]},"empty":[],"deleted":null}"#)
    }
}
