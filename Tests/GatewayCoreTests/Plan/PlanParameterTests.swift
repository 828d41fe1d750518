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
                ParameterRule(.query, "n", ValueRule(.integer, minimum: 1, maximum: 149)),
                ParameterRule(.query, "half", ValueRule(values: ["am", "pm"])),
                ParameterRule(.query, "n2", ValueRule(.integer)),
                ParameterRule(.query, "date", ValueRule(.date)),
                ParameterRule(.header, "X-Kind", ValueRule(maxLength: 3)),
            ], fields: ["X-Kind": "long"])
        #expect(reply.status == 400)
        #expect(
            reply.message == """
                Path parameter "id" must be a UUID such as 123e4567-e89b-12d3-a456-426614174000; \
                Query parameter "n" must be an integer from 1 to 149; \
                Query parameter "half" must be one of am, pm; \
                Query parameter "n2" is given 2 times; it must be given once; \
                Query parameter "date" is missing; it must be a calendar date written YYYY-MM-DD; \
                Field "X-Kind" must be text of at most 3 characters
                """)
        #expect(reply["/details/1/in"] == #""query""#)
        #expect(reply["/details/1/rule"] == #""an integer from 1 to 149""#)
        #expect(bench.transport.attempts.isEmpty)
    }

    @Test(
        "A value that breaks its type is refused",
        arguments: [
            (ValueRule(.integer), "1.5"), (ValueRule(.integer), "%2B1"), (ValueRule(.number), "nan"),
            (ValueRule(.number, minimum: 0.5), "0.4"), (ValueRule(.boolean), "yes"),
            (ValueRule(.date), "2026-02-30"), (ValueRule(.dateTime), "2026-11-20T08:00:00"),
            (ValueRule(.uuid), "123"), (ValueRule(minLength: 2), "%C3%A9"), (ValueRule(values: ["a"]), "b"),
        ])
    func refused(rule: ValueRule, text: String) throws {
        #expect(try ask("/p/1?x=\(text)", [ParameterRule(.query, "x", rule)]).status == 400)
    }

    @Test(
        "An integer of more than 64 bits is said to be too large",
        arguments: ["9223372036854775808", "-99999999999999999999"])
    func tooLarge(text: String) throws {
        let rule = ParameterRule(.query, "x", ValueRule(.integer))
        #expect(
            try ask("/p/1?x=\(text)", [rule]).message
                == #"Query parameter "x" is too large; it must be an integer"#)
        #expect(try bench.answer(.get, "/p/1?x=-").message == #"Query parameter "x" must be an integer"#)
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
            (ValueRule(minLength: 1, maxLength: 1), "%C3%A9", "%C3%A9"),
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

    @Test(
        "Rule 10: a pattern is matched with the whole value; beyond its limits it is refused and named in the log"
    )
    func pattern() throws {
        let rule = ParameterRule(.query, "x", ValueRule(pattern: try Pattern("(a+)+b")))
        #expect(try ask("/p/1?x=aab", [rule]).status == 200)
        #expect(
            try bench.answer(.get, "/p/1?x=aabc").message
                == #"Query parameter "x" must be text that matches (a+)+b"#)
        #expect(bench.incidents.isEmpty)
        let long = String(repeating: "a", count: 100) + "cb"
        let slow = try bench.answer(.get, "/p/1?x=\(long)")
        #expect(slow.status == 400)
        #expect(
            slow.message
                == #"Query parameter "x" could not be compared with the pattern (a+)+b within the limits"#)
        #expect(
            bench.incidents.map { "\($0.error)" } == [
                #"Query parameter "x": a match of the pattern (a+)+b exceeded its limits"#
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
