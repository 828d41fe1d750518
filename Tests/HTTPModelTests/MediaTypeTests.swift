import HTTPModel
import Testing

@Suite("Media type")
struct MediaTypeTests {
    @Test(
        "Text that is no media type is refused",
        arguments: [
            "", "a", "a/", "/a", "a/b c", "a / b", "a/b;c", "a/b;c=", "a/b;c=\"d", "a/b;c=\"\\", "a/b, c/d",
            "a/b;c=d e",
        ])
    func bad(_ text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test("A media type is split into type, subtype and parameters")
    func parts() throws {
        let type = try #require(MediaType(" Application/JSON ;charset=UTF-8; ; q=\"a \\\"b\" "))
        #expect(type.type == "application")
        #expect(type.subtype == "json")
        #expect(type.parameter("charset") == "UTF-8")
        #expect(type.parameter("q") == "a \"b")
        #expect(type.parameter("x") == nil)
        #expect(type.description == "application/json; charset=UTF-8; q=\"a \\\"b\"")
        #expect(MediaType(type.description) == type)
        #expect(type.isSameType(as: .json))
        #expect(MediaType("a/b;Charset=x")?.parameter("charset") == "x")
    }

    @Test("JSON is application/json and application types that end in +json")
    func json() {
        #expect(MediaType("application/json; charset=utf-8")?.isJSON == true)
        #expect(MediaType("application/problem+json")?.isJSON == true)
        #expect(MediaType("text/json")?.isJSON == false)
        #expect(MediaType("application/jsonp")?.isJSON == false)
        #expect(MediaType("text/html")?.isJSON == false)
    }
}

@Suite("Accept")
struct AcceptTests {
    private func accepted(_ values: String...) -> AcceptedMediaTypes {
        var fields = HTTPFields()
        for value in values { fields.append(.accept, value) }
        return AcceptedMediaTypes(fields)
    }

    @Test(
        "A client that does not name problem details does not prefer them",
        arguments: [
            "*/*", "application/*", "application/json", "application/problem+json;q=0",
            "application/problem+xml",
            "application/json, application/problem+json;q=0.5", "application/problem+json;q=2", "garbage", "",
            "application/problem+json;q=x", "text/html, application/xhtml+xml, */*;q=0.8",
        ])
    func notAsked(_ value: String) {
        #expect(!accepted(value).prefersProblemJSON)
        #expect(!accepted().prefersProblemJSON)
    }

    @Test(
        "A client that names problem details and weighs plain JSON no higher prefers them",
        arguments: [
            "application/problem+json", "application/json, application/problem+json",
            "Application/Problem+JSON;Q=0.1",
            "application/json;q=0.5, application/problem+json;q=0.5", "application/problem+json;q=0.001",
            "garbage, , application/problem+json, */*", "a\\, application/problem+json",
            "a/b;c=\"d,e\", application/problem+json", "application/problem+json; charset=utf-8",
        ])
    func asked(_ value: String) {
        #expect(accepted(value).prefersProblemJSON)
        #expect(accepted("text/html", value).prefersProblemJSON)
    }

    @Test(
        "A range with a malformed weight is skipped",
        arguments: [
            "", ".5", "0,5", "05", "0x5", "0.x", "0.5x", "0.55x", "0.0000", "1.0000", "1.001", "1.1", "2",
            "-1",
            "a", "a.5", "f",
        ])
    func malformedWeight(_ weight: String) {
        #expect(accepted("application/json;q=\"\(weight)\", */*;q=0.42").weight(of: .json) == 420)
    }

    @Test(
        "A weight has up to three digits after the point",
        arguments: [
            ("0", 0), ("0.", 0), ("0.0", 0), ("0.000", 0), ("0.001", 1), ("0.5", 500), ("0.25", 250),
            ("0.123", 123), ("0.999", 999), ("1", 1000), ("1.", 1000), ("1.0", 1000), ("1.000", 1000),
        ])
    func weight(_ text: String, _ expected: Int) {
        #expect(accepted("application/json;q=\(text), */*;q=0.42").weight(of: .json) == expected)
    }

    @Test("A wildcard type has no other subtype than the wildcard")
    func wildcardType() {
        #expect(accepted("*/json").weight(of: .json) == 0)
    }

    @Test("Parameters after the first q are not part of the range, and a later q does not count")
    func acceptExtensions() {
        #expect(accepted("application/json;q=0.5;q=0.7;level=1").weight(of: .json) == 500)
    }

    @Test("The most precise range decides the weight")
    func weights() throws {
        let types = accepted(
            "text/*;q=0.3, text/html;q=0.7, text/html;level=1, text/html;level=2;q=0.4, */*;q=0.5")
        // RFC 9110 12.5.1's own example.
        #expect(types.weight(of: try #require(MediaType("text/html;level=1"))) == 1000)
        #expect(types.weight(of: try #require(MediaType("text/html"))) == 700)
        #expect(types.weight(of: try #require(MediaType("text/plain"))) == 300)
        #expect(types.weight(of: try #require(MediaType("image/jpeg"))) == 500)
        #expect(types.weight(of: try #require(MediaType("text/html;level=2"))) == 400)
        #expect(types.weight(of: try #require(MediaType("text/html;level=3"))) == 700)
        #expect(
            accepted("text/html;q=0.3, text/html;q=0.7").weight(of: try #require(MediaType("text/html")))
                == 300)
        // The order of the ranges does not count.
        let reversed = accepted("*/*;q=0.5, text/*;q=0.3, text/html;q=0.7, text/html;level=2;q=0.4")
        #expect(reversed.weight(of: try #require(MediaType("text/plain"))) == 300)
        #expect(reversed.weight(of: try #require(MediaType("text/html"))) == 700)
        #expect(reversed.weight(of: try #require(MediaType("text/html;level=2"))) == 400)
    }

    @Test("Without Accept every type is accepted, and with it only the named ones")
    func absent() {
        #expect(accepted().weight(of: .json) == 1000)
        #expect(accepted("text/html").weight(of: .json) == 0)
        #expect(accepted("").weight(of: .json) == 0)
        #expect(accepted("application/json;q=0, */*").weight(of: .json) == 0)
    }
}
