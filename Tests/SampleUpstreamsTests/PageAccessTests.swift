import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

/// What pages need that call the upstreams themselves.
@Suite("Calls of a page")
struct PageAccessTests {
    @Test("A page of another host may not read an answer")
    func otherHosts() throws {
        try withServer { server in
            let answer = try server.send("GET", "/tags", field: "Origin: http://evil.example")
            #expect(answer.status == 200)
            #expect(answer.field("Access-Control-Allow-Origin") == nil)
            #expect(answer.field("Timing-Allow-Origin") == nil)
            #expect(answer.field("Vary") == "Origin")
        }
    }

    @Test("A page of the same host may read every answer, whatever its port and whatever the fault")
    func sameHost() throws {
        try withServer { server in
            let origin = "http://localhost:8080"
            let field = "Origin: \(origin)"
            func expectReadable(_ answer: RawAnswerText, _ what: String) {
                #expect(answer.field("Access-Control-Allow-Origin") == origin, "\(what)")
                #expect(answer.field("Timing-Allow-Origin") == origin, "\(what)")
            }
            for target in ["/tags", "/users/NOBODY", "/nothing", "/users/GREEN?visitor=me"] {
                expectReadable(try server.send("GET", target, field: field), target)
            }
            expectReadable(try server.send("POST", "/tags", field: field), "405")
            for fault in [
                Fault.status(503), .status(204), .truncate, .delay(milliseconds: 1), .flaky(failures: 1),
            ] {
                server.samples.faults.set(fault, for: .tags)
                let answer = RawAnswerText(try server.exchange("GET", "/tags", field: field).bytes)
                expectReadable(answer, "\(fault)")
            }
        }
    }

    @Test("The query names a visitor as the field does, and not both at once")
    func visitor() throws {
        try withServer { server in
            let visitor = "0123456789abcdef"
            server.samples.faults.set(.status(503), for: .tags, of: try SampleVisitor(visitor))
            #expect(try server.send("GET", "/tags?visitor=short").status == 400)
            #expect(try server.send("GET", "/tags?visitor=%zz").status == 400)
            #expect(try server.send("GET", "/tags?visitor=\(visitor)&visitor=\(visitor)").status == 400)
            #expect(try server.send("GET", "/tags?visitor=\(visitor)", visitor: visitor).status == 400)
            #expect(try server.send("GET", "/tags?visitor=\(visitor)").status == 503)
            #expect(try server.send("GET", "/tags?visitor=\(visitor)x").status == 200)
            #expect(try server.send("GET", "/tags").status == 200)
        }
    }

    @Test("A flaky upstream fails the first attempts of each call, and every attempt of a call without an ID")
    func flaky() throws {
        try withServer { server in
            server.samples.faults.set(.flaky(failures: 2), for: .users)
            func statuses(_ field: String, _ targets: [String]) throws -> [Int?] {
                try targets.map { try server.send("GET", $0, field: field).status }
            }
            let user = "/users/GREEN"
            #expect(try statuses("", [user, user, user, user]) == [503, 503, 503, 503])
            #expect(try statuses("X-Request-Id: a", [user, user, user, user]) == [503, 503, 200, 200])
            #expect(
                try statuses("X-Request-Id: b", [user, "\(user)/picture", user, user]) == [
                    503, 503, 503, 200,
                ])
            let answers = try (0..<3).map { _ in try server.send("GET", user, field: "X-Request-Id: c").json }
            #expect(answers[1]?[member: "code"]?.stringValue == "FAULT")
            #expect(answers[2]?.value(at: "/user/name")?.stringValue == "GREEN")
        }
    }

    @Test("The attempts of the latest 1024 calls are counted")
    func attempts() {
        let attempts = CallAttempts()
        #expect(attempts.next("a", "GET", "/") == 1)
        #expect(attempts.next("a", "GET", "/") == 2)
        for number in 1..<CallAttempts.limit { _ = attempts.next("\(number)", "GET", "/") }
        #expect(attempts.next("a", "GET", "/") == 3)
        _ = attempts.next("one more", "GET", "/")
        #expect(attempts.next("a", "GET", "/") == 1)
    }

    @Test("A change is conditional on the entity tag of the weight, and a refused one answers with the day")
    func conditionalChanges() throws {
        try withServer { server in
            let target = "/food-diary/weights/2026-11-20/am"
            func change(_ field: String, _ method: String = "PUT") throws -> RawAnswerText {
                try server.send(method, target, method == "PUT" ? #"{"weight":70}"# : nil, field: field)
            }
            for field in ["If-Match: 70.0", "If-Match:", "If-Match: *, \"70.0\"", "If-None-Match: 70.0"] {
                #expect(try change(field).status == 400, "\(field)")
            }
            let before = try server.send("GET", "/food-diary/weights/2026-11-20").json?[member: "data"]
            let refused = try change("If-Match: \"1.0\"")
            #expect(refused.status == 412)
            #expect(refused.json?[member: "code"]?.stringValue == "PRECONDITION_FAILED")
            #expect(refused.json?[member: "data"]?.description == before?.description)
            #expect(try change("If-None-Match: *").status == 412)
            #expect(try change("If-Match: \"1.0\"", "DELETE").status == 412)
            let tag = "\"\(try #require(before?[member: "am"]?.description))\""
            let done = try change("If-Match: \"1.0\", \(tag)")
            #expect(done.status == 200)
            #expect(done.field("ETag") == "\"70.0\"")
            #expect(try change("If-Match: \"70.0\"", "DELETE").status == 204)
            #expect(try change("If-None-Match: *").status == 200)
        }
    }

    @Test("The day of every time zone has weights, and only a day that has come nowhere is refused")
    func timeZones() throws {
        // 11:00 in UTC: 01:00 of the next day in UTC+14, 23:00 of the day before in UTC-12.
        try withServer(today: "2026-11-20", hour: 11) { server in
            for day in ["2026-11-19", "2026-11-20", "2026-11-21"] {
                #expect(try server.send("GET", "/food-diary/weights/\(day)").status == 200)
                #expect(
                    try server.send("PUT", "/food-diary/weights/\(day)/am", #"{"weight":70}"#).status == 200)
            }
            #expect(try server.send("GET", "/food-diary/weights/2026-11-22").status == 204)
            for day in ["2026-11-22", "2999-12-31"] {
                let answer = try server.send("PUT", "/food-diary/weights/\(day)/am", #"{"weight":70}"#)
                #expect(answer.status == 422)
                #expect(answer.json?[member: "message"]?.stringValue?.contains("2026-11-21") == true)
                #expect(try server.send("DELETE", "/food-diary/weights/\(day)/am").status == 422)
            }
        }
    }
}
