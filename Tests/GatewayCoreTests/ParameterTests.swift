import Foundation
import GatewayCore
import HTTPModel
import JSONBytes
import RxTesting
import Testing

private enum Half: String, CaseIterable, RequestValue { case am, pm }
private enum Level: Int, RequestValue { case low = 1, high = 2 }

@Suite("Parameters", .noLeaks)
struct ParameterTests {
    /// Returns the answer of an endpoint that reads `x`, given a query that begins with `?`.
    private func reply<Value: RequestValue & Encodable>(_ type: Value.Type, _ query: String) throws -> Reply {
        let bench = Bench()
        bench.gateway.get("/q") { request in .json(try request.query("x", as: Value.self)) }
        return try bench.answer(.get, "/q\(query)")
    }

    private func expect<Value: RequestValue & Encodable>(
        _ type: Value.Type, _ query: String, refused rule: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let reply = try reply(type, query)
        #expect(reply.status == 400, sourceLocation: sourceLocation)
        #expect(reply["/code"] == #""INVALID_REQUEST""#, sourceLocation: sourceLocation)
        let message = reply.message
        #expect(message == "Query parameter \"x\" must be \(rule)", sourceLocation: sourceLocation)
    }

    @Test("A missing parameter gets a 400 that names it and its rule")
    func missing() throws {
        for query in ["", "?", "?y=1", "?X=1"] {
            let reply = try reply(Int.self, query)
            #expect(reply.status == 400)
            #expect(
                reply.message
                    == "Query parameter \"x\" is missing; it must be an integer")
        }
    }

    @Test("A repeated parameter gets 400 unless the endpoint reads all its values")
    func repeated() throws {
        let reply = try reply(Int.self, "?x=1&y=2&x=1")
        #expect(reply.status == 400)
        #expect(
            reply.message == "Query parameter \"x\" is given 2 times; it must be given once")
        let bench = Bench()
        bench.gateway.get("/q") { request in .json(try request.query("x", as: Int.self, default: 7)) }
        bench.gateway.get("/all") { request in .json(try request.queryAll("x", as: Int.self)) }
        #expect(try bench.answer(.get, "/q?x=1&x=2").status == 400)
        #expect(try bench.answer(.get, "/q?x=3")["/data"] == "3")
        #expect(try bench.answer(.get, "/q")["/data"] == "7")
        #expect(try bench.answer(.get, "/all?x=1&x=2")["/data"] == "[1,2]")
        #expect(try bench.answer(.get, "/all")["/data"] == "[]")
        #expect(try bench.answer(.get, "/all?x=1&x=b").status == 400)
    }

    @Test("A value outside its closed range gets a 400 that states the range")
    func range() throws {
        let bench = Bench()
        bench.gateway.get("/q") { request in .json(try request.query("x", in: 1...149)) }
        bench.gateway.get("/d") { request in .json(try request.query("x", in: 1...149, default: 60)) }
        let missing = try bench.answer(.get, "/q")
        #expect(missing.status == 400)
        #expect(
            missing.message == "Query parameter \"x\" is missing; it must be an integer from 1 to 149")
        for query in ["0", "150", "-1", "", "1.0", "one", "99999999999999999999"] {
            for path in ["/q", "/d"] {
                let reply = try bench.answer(.get, "\(path)?x=\(query)")
                #expect(reply.status == 400)
                #expect(reply.message == "Query parameter \"x\" must be an integer from 1 to 149")
            }
        }
        #expect(try bench.answer(.get, "/q?x=1&x=2").status == 400)
        #expect(try bench.answer(.get, "/q?x=1")["/data"] == "1")
        #expect(try bench.answer(.get, "/q?x=149")["/data"] == "149")
        #expect(try bench.answer(.get, "/d")["/data"] == "60")
    }

    @Test("Invalid percent-encoding gets a 400 that names the parameter")
    func encoding() throws {
        for query in ["?x=%zz", "?x=%ff", "?x=%"] {
            let reply = try reply(String.self, query)
            #expect(reply.status == 400)
            #expect(try #require(reply["/message"]).hasPrefix(#""Query parameter \"x\" cannot be read"#))
        }
        #expect(try reply(String.self, "?x=a+b%2Bc%26%EC%B2%B4")["/data"] == #""a b+c&체""#)
        #expect(try reply(String.self, "?%78=1")["/data"] == #""1""#)
        #expect(try reply(String.self, "?x")["/data"] == #""""#)
    }

    @Test("An integer is decimal, with an optional minus sign, and fits its type")
    func integers() throws {
        for query in ["?x=", "?x=a", "?x=1.0", "?x=%2B1", "?x=0x1", "?x=+1", "?x=9223372036854775808"] {
            try expect(Int.self, query, refused: "an integer")
        }
        try expect(UInt8.self, "?x=256", refused: "an integer from 0 to 255")
        #expect(try reply(Int.self, "?x=-9223372036854775808")["/data"] == "-9223372036854775808")
        #expect(try reply(UInt8.self, "?x=255")["/data"] == "255")
    }

    @Test("A number is decimal and finite")
    func doubles() throws {
        for query in ["?x=", "?x=nan", "?x=inf", "?x=0x1p3", "?x=1e999", "?x=1,5", "?x=1+"] {
            try expect(Double.self, query, refused: "a decimal number")
        }
        #expect(try reply(Double.self, "?x=-71.5e1")["/data"] == "-715")
    }

    @Test("A Bool is true or false")
    func bools() throws {
        for query in ["?x=", "?x=1", "?x=True", "?x=yes"] {
            try expect(Bool.self, query, refused: "true or false")
        }
        #expect(try reply(Bool.self, "?x=true")["/data"] == "true")
    }

    @Test("A UUID is read from its canonical text")
    func uuids() throws {
        for query in ["?x=", "?x=123e4567", "?x=123e4567-e89b-12d3-a456-42661417400g"] {
            try expect(UUID.self, query, refused: "a UUID such as 123e4567-e89b-12d3-a456-426614174000")
        }
        #expect(
            try reply(UUID.self, "?x=123e4567-e89b-12d3-a456-426614174000")["/data"]
                == #""123E4567-E89B-12D3-A456-426614174000""#)
    }

    @Test("The rule for an enum lists its cases, or names its raw type if it is not CaseIterable")
    func enums() throws {
        let bench = Bench()
        bench.gateway.get("/{half}") { request in
            .json(
                try request.path("half", as: Half.self).rawValue + "\(try request.query("l", as: Level.self))"
            )
        }
        let half = try bench.answer(.get, "/noon?l=1")
        #expect(half.status == 400)
        #expect(
            half.message == "Path parameter \"half\" must be one of am, pm")
        let level = try bench.answer(.get, "/am?l=3")
        #expect(
            level.message == "Query parameter \"l\" must be an integer")
        #expect(try bench.answer(.get, "/pm?l=2")["/data"] == #""pmhigh""#)
    }

    @Test("An endpoint that reads a path parameter its path does not have answers 500, not 400")
    func unknownPathParameter() throws {
        let bench = Bench()
        bench.gateway.get("/{half}") { request in .json(try request.path("day", as: Int.self)) }
        #expect(try bench.answer(.get, "/am").status == 500)
        #expect(
            bench.incidents.map { "\($0.error)" }
                == [#"the path has no parameter {day}; there is "half""#])
    }
}

@Suite("A calendar date", .noLeaks)
struct CalendarDateTests {
    @Test(
        "A date is accepted only as YYYY-MM-DD of an existing day",
        arguments: [
            "", "2026-1-2", "2026-11-2", "26-11-20", "2026/11/20", "2026-11-20T", " 2026-11-20",
            "2026-11-20 ",
            "2026-13-01", "2026-00-01", "2026-01-00", "2026-04-31", "2026-02-29", "1900-02-29", "0000-01-01",
            "+026-11-20", "-026-11-20", "２０２６-11-20", "2026-11-2０", "2026–11–20",
        ])
    func refused(_ text: String) {
        #expect(CalendarDate(text) == nil)
    }

    @Test(
        "A valid date keeps its text",
        arguments: ["2026-11-20", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])
    func accepted(_ text: String) throws {
        let date = try #require(CalendarDate(text))
        #expect(date.description == text)
        #expect(CalendarDate(year: date.year, month: date.month, day: date.day) == date)
    }

    @Test("Days are counted from 1970-01-01 in both directions, to both ends of the calendar")
    func days() throws {
        #expect(CalendarDate("1970-01-01")?.daysSince1970 == 0)
        #expect(CalendarDate("1969-12-31")?.daysSince1970 == -1)
        #expect(CalendarDate("2000-03-01")?.daysSince1970 == 11_017)
        #expect(CalendarDate("2026-11-20")?.daysSince1970 == 20_777)
        let first = try #require(CalendarDate("0001-01-01")?.daysSince1970)
        let last = try #require(CalendarDate("9999-12-31")?.daysSince1970)
        #expect(last - first + 1 == 3_652_059)
        var previous: CalendarDate?
        var mismatches = 0
        // The middle range spans 400 years, after which the calendar repeats.
        for day in [first..<first + 1000, -73_048..<73_049, last - 1000..<last + 1].joined() {
            guard let date = CalendarDate(daysSince1970: day) else {
                mismatches += 1
                continue
            }
            if date.daysSince1970 != day || previous.map({ $0 >= date }) == true { mismatches += 1 }
            previous = date
        }
        #expect(mismatches == 0)
        #expect(CalendarDate(daysSince1970: first - 1) == nil)
        #expect(CalendarDate(daysSince1970: last + 1) == nil)
    }

    @Test("Adding days crosses months and years, up to the ends of the calendar")
    func adding() {
        #expect(CalendarDate("2026-12-31")?.adding(days: 1)?.description == "2027-01-01")
        #expect(CalendarDate("2024-03-01")?.adding(days: -1)?.description == "2024-02-29")
        #expect(CalendarDate("9999-12-31")?.adding(days: 1) == nil)
        #expect(CalendarDate("9999-12-31")?.adding(days: .max) == nil)
    }

    @Test("A date is encoded as a JSON string, and an invalid date fails to decode")
    func coding() throws {
        let date = try #require(CalendarDate("2026-11-20"))
        #expect(String(decoding: try JSONEncoder().encode([date]), as: UTF8.self) == #"["2026-11-20"]"#)
        #expect(try JSONDecoder().decode([CalendarDate].self, from: Data(#"["2026-11-20"]"#.utf8)) == [date])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([CalendarDate].self, from: Data(#"["2026-11-31"]"#.utf8))
        }
    }

    @Test("A malformed fddDate gets a 400 that names it and its format")
    func parameter() throws {
        let bench = Bench()
        bench.gateway.get("/charts") { request in .json(try request.query("fddDate", as: CalendarDate.self)) }
        let reply = try bench.answer(.get, "/charts?fddDate=2026-02-30")
        #expect(reply.status == 400)
        #expect(
            reply.message
                == "Query parameter \"fddDate\" must be a calendar date written YYYY-MM-DD")
        #expect(try bench.answer(.get, "/charts?fddDate=2026-11-20")["/data"] == #""2026-11-20""#)
    }
}

@Suite("JSON request bodies", .noLeaks)
struct JSONBodyTests {
    private struct Input: Codable {
        struct Point: Codable { var weight: Double }
        var name: String
        var points: [Point]
        var date: CalendarDate?
    }

    private let bench = Bench()

    init() {
        bench.gateway.put("/input") { request in .json(try request.json(as: Input.self)) }
        bench.gateway.put("/any") { request in .fragment(try request.json()) }
    }

    private func reply(_ body: String, type: String? = "application/json") throws -> Reply {
        try bench.answer(.put, "/input", fields: type.map { [.contentType: $0] } ?? [:], body: body)
    }

    @Test(
        "A body without a JSON content type gets 415",
        arguments: [
            nil, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "json",
            "application/json; charset=iso-8859-1", "text/json+x",
        ])
    func contentType(_ type: String?) throws {
        let reply = try reply("{}", type: type)
        #expect(reply.status == 415)
        #expect(reply["/code"] == #""UNSUPPORTED_MEDIA_TYPE""#)
    }

    @Test(
        "A body that is not JSON gets a 400 that says at which byte",
        arguments: [
            ("", "The body is empty; it must be JSON"), ("{", "The body is not JSON at byte 1:"),
            (#"{"name":}"#, "The body is not JSON at byte 8:"), ("{}x", "The body is not JSON at byte 2:"),
            ("\"\u{1}\"", "The body is not JSON at byte 1:"),
        ])
    func syntax(_ body: String, _ message: String) throws {
        let reply = try reply(body)
        #expect(reply.status == 400)
        #expect(try #require(reply.message).hasPrefix(message))
    }

    @Test("A body nested deeper than 64 levels gets 400, without a stack overflow")
    func depth() throws {
        for depth in [65, 500_000] {
            let reply = try reply(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
            #expect(reply.status == 400)
        }
        let body = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(
            try bench.answer(.put, "/any", fields: [.contentType: "application/json"], body: body).status
                == 200)
    }

    @Test("The gateway's JSON limits apply to request bodies")
    func jsonLimits() throws {
        var limits = GatewayLimits()
        limits.json = JSONLimits(maxDepth: 1, maxNumberLength: 3)
        let bench = Bench(limits: limits)
        bench.gateway.put("/any") { request in .fragment(try request.json()) }
        for (body, status) in [("[123]", 200), ("[[]]", 400), ("1234", 400)] {
            let reply = try bench.answer(
                .put, "/any", fields: [.contentType: "application/json"], body: body)
            #expect(reply.status == status, "\(body)")
        }
    }

    @Test(
        "A body of the wrong shape gets a 400 with the location and the expected type",
        arguments: [
            ("[]", "The body must be an object"), ("{}", "In the body, name is missing"),
            (#"{"name":1,"points":[]}"#, "In the body, name must be a string"),
            (#"{"name":null,"points":[]}"#, "In the body, name must not be null"),
            (#"{"name":"a","points":{}}"#, "In the body, points must be an array"),
            (#"{"name":"a","points":[{"weight":1},{}]}"#, "In the body, points[1].weight is missing"),
            (#"{"name":"a","points":[{"weight":"1"}]}"#, "In the body, points[0].weight must be a number"),
            (#"{"name":"a","points":[{"weight":1e400}]}"#, "In the body, points[0].weight cannot be 1e400"),
            (
                #"{"name":"a","points":[{"weight":-\#(String(repeating: "9", count: 200))e200}]}"#,
                "In the body, points[0].weight cannot be -\(String(repeating: "9", count: 39))..."
            ),
            (
                #"{"name":"a","points":[],"date":"2026-02-30"}"#,
                "In the body, date must be a calendar date written YYYY-MM-DD"
            ),
        ])
    func shape(_ body: String, _ message: String) throws {
        let reply = try reply(body)
        #expect(reply.status == 400)
        #expect(reply["/code"] == #""INVALID_REQUEST""#)
        #expect(reply.message == message)
    }

    @Test(
        "Any JSON media type is accepted",
        arguments: ["application/json", "Application/JSON; charset=UTF-8", "application/merge-patch+json"])
    func accepted(_ type: String) throws {
        let reply = try reply(#" {"name":"a","points":[{"weight":71.5}],"date":"2026-11-20"} "#, type: type)
        #expect(reply.status == 200)
        #expect(reply["/data"] == #"{"name":"a","points":[{"weight":71.5}],"date":"2026-11-20"}"#)
    }
}
