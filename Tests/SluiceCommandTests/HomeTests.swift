import Foundation
import JSONBytes
import TestSupport
import Testing

extension CommandTests {
    /// Requests the screen that combines four upstreams.
    @Suite("The home screen")
    struct HomeTests {
        @Test("An invalid parameter gets 400 with its name and rule")
        func aParameterThatBreaksItsRule() throws {
            try withDemo { demo in
                for (query, rule) in [
                    ("date=today", "\"date\" must be a calendar date"),
                    ("nx=0", "\"nx\" must be an integer from 1 to 149"),
                    ("ny=254", "\"ny\" must be an integer from 1 to 253"),
                    ("user=", "\"user\" must be a name of 1 to 32 characters"),
                    ("user=a%2Fb", "\"user\" must be a name of 1 to 32 characters"),
                    ("user=A&user=B", "\"user\" is given 2 times"),
                ] {
                    let answer = try demo.get("/api/home?\(query)")
                    #expect(answer.status == 400)
                    #expect(answer.message.contains(rule), "\(answer.message)")
                }
            }
        }

        @Test("If the weights fail, the home screen fails with their status")
        func itFailsWithTheWeights() throws {
            try withDemo { demo in
                for (fault, status, code) in [
                    ("status:503", 503, "UPSTREAM_UNAVAILABLE"), ("status:504", 504, "UPSTREAM_TIMEOUT"),
                    ("status:500", 502, "BAD_GATEWAY"), ("drop", 502, "BAD_GATEWAY"),
                    ("garbage", 502, "BAD_GATEWAY"), ("truncate", 502, "BAD_GATEWAY"),
                ] {
                    try demo.set(fault, "diary")
                    let answer = try demo.get("/api/home")
                    #expect(answer.status == status, "\(fault)")
                    #expect(answer.code == code)
                    #expect(answer.data?.isNull == true)
                    #expect(answer.error("weights") != nil)
                    #expect(answer.json[member: "errors"]?.elements.count == 1)
                    #expect(["success", "cancelled"].contains(answer.kind(of: "user")))
                }
                try demo.set("none", "diary")
                // The part fails if one of its two calls fails.
                try demo.set("status:500", "diary", api: "day")
                #expect(try demo.get("/api/home").status == 502)
            }
        }

        @Test(
            "A failed optional part is null, and the answer is partial",
            arguments: [
                ("weather", "weather", "garbage", "networkFail http_protocol_error null"),
                ("weather", "weather", "status:503", "serverErr upstream_status 503"),
                ("tags", "tags", "truncate", "networkFail http_response_incomplete null"),
                ("users", "user", "drop", "networkFail connection_terminated null"),
            ])
        func whatFailsBesideTheWeights(
            upstream: String, part: String, fault: String, failure: String
        ) throws {
            try withDemo { demo in
                try demo.set(fault, upstream)
                let answer = try demo.get("/api/home")
                #expect(answer.status == 200)
                #expect(answer.code == "PARTIAL")
                #expect(answer.failure(of: part) == failure)
                #expect(answer.json[member: "errors"]?.elements.count == 1)
                for name in ["weights", "weather", "tags", "user"] {
                    #expect(answer.data?[member: name]?.isNull == (name == part), "\(name)")
                }
                try demo.set("none", upstream)
                #expect(try demo.get("/api/home").code == "OK")
            }
        }

        @Test("An unknown user and a point in the sea fail only their own parts")
        func aUserWhomNobodyKnows() throws {
            try withDemo { demo in
                let answer = try demo.get("/api/home?user=NOBODY&nx=1&ny=253")
                #expect(answer.status == 200)
                #expect(answer.code == "PARTIAL")
                #expect(answer.failure(of: "user") == "requestErr upstream_status 404")
                #expect(answer.failure(of: "weather") == "serverErr upstream_status 200")
                #expect(answer.kind(of: "weights") == "success")
                #expect(answer.kind(of: "tags") == "success")
            }
        }

        @Test("An optional part that takes too long is null, and the answer is partial")
        func whatTakesTooLongIsLeftOut() throws {
            try withDemo { demo in
                try demo.set("delay:600000", "weather")
                let answer = try demo.get("/api/home")
                #expect(answer.code == "PARTIAL")
                #expect(answer.failure(of: "weather") == "networkFail http_response_timeout null")
                let elapsed = answer.json[member: "meta"]?[member: "elapsedMs"]?.doubleValue ?? 0
                #expect((3000..<5000).contains(elapsed), "\(elapsed)")
            }
        }

        @Test("serve calls each upstream at its own address, and a missing upstream fails only its part")
        func serveFindsEachUpstreamByItsName() throws {
            let scratch = ScratchFolder()
            let samples = try SluiceProcess([
                "upstream", "--port", "0", "--data", scratch.file("diary.sqlite3"),
            ])
            let address = "http://127.0.0.1:\(try samples.readPort())"
            let upstreams = [
                "diary=\(address)", "weather=\(address)/weather", "places=\(address)/places",
                "tags=\(address)",
            ]
            for (users, code) in [("users=\(address)/users", "OK"), ("users=http://127.0.0.1:1", "PARTIAL")] {
                let gateway = try SluiceProcess(
                    ["serve", "--port", "0", "--drain-delay", "0"]
                        + (upstreams + [users]).flatMap { ["--upstream", $0] })
                let url = "http://127.0.0.1:\(try gateway.readPort())/api/home"
                let body = try JSONFragment(validating: Array(try curl(url).body.utf8)[...])
                #expect(body[member: "code"]?.stringValue == code, "\(body)")
                let error = body[member: "errors"]?[element: 0]
                #expect(
                    error?[member: "reason"]?.stringValue == (code == "OK" ? nil : "connection_refused"))
                gateway.signal(SIGTERM)
                #expect(gateway.finish().exitCode == 0)
            }
            samples.signal(SIGTERM)
            #expect(samples.finish().exitCode == 0)
        }

        @Test("The defaults are today, Seoul and GREEN; parameters override them")
        func withoutAnyParameter() throws {
            try withDemo { demo in
                let answer = try demo.get("/api/home")
                #expect(answer.code == "OK")
                let data = try #require(answer.data)
                #expect(data.members.map(\.name) == ["weights", "weather", "tags", "user"])
                #expect(data[member: "weights"]?[member: "recent"]?[member: "points"]?.elements.count == 7)
                let last = data[member: "weights"]?[member: "recent"]?[member: "points"]?[element: 6]
                #expect(data[member: "weights"]?[member: "today"]?.description == last?.description)
                let now = data[member: "weather"]?[member: "now"]?[member: "items"]?[member: "item"]
                #expect(now?[element: 0]?[member: "nx"]?.intValue == 60)
                #expect(now?[element: 0]?[member: "ny"]?.intValue == 127)
                #expect(data[member: "tags"]?.elements.count == 8)
                #expect(data[member: "user"]?[member: "name"]?.stringValue == "GREEN")

                let other = try demo.get("/api/home?date=2026-01-02&nx=98&ny=76&user=BLUE")
                #expect(other.code == "OK")
                #expect(
                    other.data?[member: "weights"]?[member: "today"]?[member: "date"]?.stringValue
                        == "2026-01-02")
                #expect(other.data?[member: "user"]?[member: "nameEn"]?.stringValue == "Blue Lee")
                // The diary begins in 2020. An answer without weights is a success.
                let old = try demo.get("/api/home?date=2019-01-01")
                #expect(old.code == "OK")
                #expect(
                    old.data?[member: "weights"]?.description == #"{"recent":null,"today":null}"#)
            }
        }
    }
}
