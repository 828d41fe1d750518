import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Parameters of planned endpoints", .noLeaks)
struct PlanParameterTests {
    private let bench = Bench()

    /// Adds `GET /p/{id}` that calls with all parameters, and returns the answer.
    private func ask(
        _ target: String, _ rules: [ParameterRule], fields: HTTPFields = [:]
    ) throws -> Reply {
        try bench.page(
            "/p/{id}",
            [
                bench.part("a", "/a") { call in
                    call.query = rules.map { rule in
                        (rule.name.value, value("{\(rule.place).\(rule.name.value)}"))
                    }
                }
            ]
        ) { $0.parameters = rules }
        bench.upstream("/a", .data("1"))
        return try bench.answer(.get, target, fields: fields)
    }

    @Test("All mistakes of a request are told at once, with the place, the name and the rule of each")
    func allAtOnce() throws {
        let reply = try ask(
            "/p/x?n=0&half=noon&n2=a&n2=b",
            [
                ParameterRule(.path, "id", ValueRule(.uuid)),
                ParameterRule(.query, "n", rule(.integer, #""minimum":1,"maximum":149"#)),
                ParameterRule(.query, "half", rule(.string, #""enum":["am","pm"]"#)),
                ParameterRule(.query, "n2", ValueRule(.integer)),
                ParameterRule(.query, "date", ValueRule(.date)),
                ParameterRule(.header, "X-Kind", rule(.string, #""maxLength":3"#)),
            ], fields: ["X-Kind": "long"])
        #expect(reply.status == 400)
        #expect(
            reply.message == """
                Path parameter "id" must be a UUID such as 123e4567-e89b-12d3-a456-426614174000; \
                Query parameter "n" must be at least 1; \
                Query parameter "half" must be one of am, pm; \
                Query parameter "n2" is given 2 times; it must be given once; \
                Query parameter "date" is missing; it must be a calendar date written YYYY-MM-DD; \
                Field "X-Kind" must be at most 3 characters long
                """)
        #expect(reply["/details/1/in"] == #""query""#)
        #expect(reply["/details/1/rule"] == #""at least 1""#)
        #expect(bench.transport.attempts.isEmpty)
    }

    @Test(
        "A value that breaks its type is refused",
        arguments: [
            (ValueRule(.integer), "1.5"), (ValueRule(.integer), "%2B1"), (ValueRule(.number), "nan"),
            (rule(.number, #""minimum":0.5"#), "0.4"), (ValueRule(.boolean), "yes"),
            (ValueRule(.date), "2026-02-30"), (ValueRule(.dateTime), "2026-11-20T08:00:00"),
            (ValueRule(.uuid), "123"), (rule(.string, #""minLength":2"#), "%C3%A9"),
            (rule(.string, #""enum":["a"]"#), "b"),
        ])
    func refused(rule: ValueRule, text: String) throws {
        #expect(try ask("/p/1?x=\(text)", [ParameterRule(.query, "x", rule)]).status == 400)
    }

    @Test("An integer may have more than 64 bits, and format: int64 forbids that")
    func large() throws {
        #expect(
            try ask("/p/1?x=-0099999999999999999999", [ParameterRule(.query, "x", ValueRule(.integer))])
                .status == 200)
        #expect(bench.targets == ["/a?x=-99999999999999999999"])
        #expect(try bench.answer(.get, "/p/1?x=-").message == #"Query parameter "x" must be an integer"#)
    }

    @Test("A parameter of 64 bits refuses more")
    func bits() throws {
        let rule = ParameterRule(.query, "x", rule(.integer, #""format":"int64""#))
        #expect(
            try ask("/p/1?x=9223372036854775808", [rule]).message
                == #"Query parameter "x" must be in the format int64"#)
    }

    @Test("A repeated parameter is a list, whose elements and number are checked, and which is sent repeated")
    func list() throws {
        var tags = rule(.array, #""items":{"type":"integer","minimum":1},"maxItems":2"#)
        tags.items = .integer
        let parameter = ParameterRule(
            .query, "x", tags, default: .value(Located(JSONLiteral([7]).fragment)))
        #expect(try ask("/p/1?x=01&x=2", [parameter]).status == 200)
        #expect(try bench.answer(.get, "/p/1").status == 200)
        #expect(bench.targets == ["/a?x=1&x=2", "/a?x=7"])
        let long = try bench.answer(.get, "/p/1?x=1&x=2&x=3")
        #expect(long.message == #"Query parameter "x" must be an array of at most 2 elements"#)
        let low = try bench.answer(.get, "/p/1?x=1&x=0")
        #expect(low["/details/0/at"] == #""/1""#)
        #expect(low["/details/0/keyword"] == #""minimum""#)
        #expect(
            try bench.answer(.get, "/p/1?x=a").message
                == #"Query parameter "x" must be a list, each of which is an integer"#)
    }

    @Test(
        "A value reaches the upstream as it was written, an integer in its plain form",
        arguments: [
            (ValueRule(.integer), "-007", "-7"), (ValueRule(.number), "1.50", "1.50"),
            (ValueRule(.number), "%2B.5", "0.5"), (ValueRule(.boolean), "true", "true"),
            (ValueRule(.date), "2026-11-20", "2026-11-20"),
            (ValueRule(.dateTime), "2026-11-20T08:00:00Z", "2026-11-20T08%3A00%3A00Z"),
            (
                ValueRule(.uuid), "123e4567-e89b-12d3-a456-426614174000",
                "123e4567-e89b-12d3-a456-426614174000"
            ),
            (rule(.string, #""minLength":1,"maxLength":1"#), "%C3%A9", "%C3%A9"),
            (ValueRule(), "a%26b%20c", "a%26b%20c"),
        ])
    func passed(rule: ValueRule, text: String, expected: String) throws {
        #expect(try ask("/p/1?x=\(text)", [ParameterRule(.query, "x", rule)]).status == 200)
        #expect(bench.targets == ["/a?x=\(expected)"])
    }

    @Test("An absent parameter has its default, or drops its pair")
    func absent() throws {
        let reply = try ask(
            "/p/1",
            [
                ParameterRule(.query, "n", ValueRule(.integer), default: .text("60")),
                ParameterRule(.query, "q", isRequired: false), ParameterRule(.header, "X-Kind"),
                ParameterRule(.query, "date", ValueRule(.date), default: .today),
            ])
        #expect(reply.status == 200)
        // The virtual clock begins with 1970.
        #expect(bench.targets == ["/a?n=60&date=1970-01-01"])
    }

    @Test("A header is found whatever its case, and must be given once")
    func header() throws {
        let rule = ParameterRule(.header, "X-Kind", isRequired: true)
        #expect(try ask("/p/1", [rule], fields: ["x-kind": "a"]).status == 200)
        #expect(bench.targets == ["/a?X-Kind=a"])
        #expect(try bench.answer(.get, "/p/1").message == #"Field "X-Kind" is missing; it must be text"#)
        let twice = try bench.answer(.get, "/p/1", fields: ["X-Kind": "a", "X-Kind": "b"])
        #expect(twice.message == #"Field "X-Kind" is given 2 times; it must be given once"#)
    }

    @Test("A header that is not UTF-8 is refused instead of being sent on with other bytes")
    func headerBytes() throws {
        var fields = HTTPFields()
        fields.append("X-Kind", bytes: [0x63, 0x61, 0x66, 0xe9])
        let reply = try ask("/p/1", [ParameterRule(.header, "X-Kind", isRequired: true)], fields: fields)
        #expect(reply.status == 400)
        #expect(reply.message == #"Field "X-Kind" must be UTF-8"#)
        #expect(bench.targets.isEmpty)
    }

    @Test("A pattern is searched; beyond its bound the text is refused, and the log names the schema")
    func pattern() throws {
        let rule = ParameterRule(.query, "x", rule(.string, #""pattern":"(a+)+b$""#))
        #expect(try ask("/p/1?x=caab", [rule]).status == 200)
        #expect(
            try bench.answer(.get, "/p/1?x=aabc").message
                == #"Query parameter "x" must be a text with the pattern (a+)+b$"#)
        #expect(bench.incidents.isEmpty)
        let long = String(repeating: "a", count: 100) + "cb"
        let slow = try bench.answer(.get, "/p/1?x=\(long)")
        #expect(slow.status == 400)
        #expect(slow.message == #"Query parameter "x" must be a text that takes less work to match"#)
        #expect(slow["/details/0/keyword"] == #""pattern""#)
        #expect(
            bench.incidents.map { "\($0.error)" } == [
                #"Query parameter "x": the check by the schema at 1:1 exceeded its bound (pattern)"#
            ])
    }

    @Test(
        "Rule 2: a client's value in a path is one encoded segment; a bad one is 400, whatever the part's policy",
        arguments: [
            ("a%20b", 200, ["/users/a%20b"]), ("%3F", 200, ["/users/%3F"]), ("..", 400, []),
            ("a%2Fb", 400, []),
            ("%252e%252e", 400, []), ("a%00", 400, []), ("", 400, []),
        ])
    func segment(text: String, status: Int, targets: [String]) throws {
        try bench.page([bench.part("user", "/users/{query.name}", .optional)]) {
            $0.parameters = [ParameterRule(.query, "name")]
        }
        bench.transport.answer(.data("1"))
        let reply = try bench.answer(.get, "/page?name=\(text)")
        #expect(reply.status == status)
        #expect(bench.targets == targets)
        if status == 400 {
            #expect(
                reply.message
                    == #"Query parameter "name" must be text, without slashes and control characters"#)
        }
    }

    @Test("A line break in a value that goes into a field is 400")
    func fieldValue() throws {
        try bench.page([
            bench.part("a", "/a") { $0.headers = plannedFields(("X-Name", text("{query.name}"))) }
        ]) {
            $0.parameters = [ParameterRule(.query, "name")]
        }
        bench.transport.answer(.data("1"))
        #expect(try bench.answer(.get, "/page?name=a%0Ab").status == 400)
        #expect(try bench.answer(.get, "/page?name=kim").status == 200)
        #expect(bench.transport.attempts.last?.call.fields["X-Name"] == "kim")
    }
}
