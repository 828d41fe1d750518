import Foundation
import JSONBytes
import Testing

extension CommandTests {
    /// Calls the endpoints of a running demo with its sample upstreams.
    @Suite("Endpoints of the demo")
    struct EndpointTests {
        private static let path =
            #"{"user":"u1","timeSequence":[{"time":"2026-11-20T08:00:00Z","latitude":37.5,"longitude":127.0}]}"#

        @Test(
            "An invalid path gets 400 with the broken rule, a long body 413, and a body that is not JSON 415")
        func aPathThatBreaksARule() throws {
            try withDemo { demo in
                let broken = [
                    ("", "empty"), ("{", "not JSON"), ("{}", "In the body, user is missing"),
                    (#"{"user":"u1"}"#, "In the body, timeSequence is missing"),
                    (#"{"user":"","timeSequence":[]}"#, "user must have 1 to 64 characters"),
                    (#"{"user":"u1","timeSequence":[]}"#, "timeSequence must have 1 to 1440 points"),
                    (
                        Self.path.replacing("37.5", with: "90.5"),
                        "timeSequence[0].latitude must be from -90 to 90"
                    ),
                    (Self.path.replacing("127.0", with: "-181"), "timeSequence[0].longitude must be from"),
                    (Self.path.replacing("T08", with: " 08"), "timeSequence[0].time must be a time such as"),
                    (
                        Self.path.replacing("37.5", with: "\"37.5\""),
                        "timeSequence[0].latitude must be a number"
                    ),
                ]
                for (body, rule) in broken {
                    let answer = try demo.post("/api/daily/path", body)
                    #expect(answer.status == 400)
                    #expect(answer.code == "INVALID_REQUEST")
                    #expect(answer.message.contains(rule), "\(answer.message)")
                }
                #expect(try demo.post("/api/daily/path", Self.path, contentType: "text/plain").status == 415)
                let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                try Data(repeating: 0x20, count: 256 * 1024 + 1).write(to: file)
                defer { try? FileManager.default.removeItem(at: file) }
                let long = try demo.post("/api/daily/path", "@\(file.path)")
                #expect(long.status == 413)
                #expect(long.code == "PAYLOAD_TOO_LARGE")
                #expect(try demo.get("/api/daily/path").status == 405)
            }
        }

        @Test("A posted path is summarized and appears in the pie chart of its day; the POST is not retried")
        func aPathIsTaken() throws {
            try withDemo { demo in
                #expect(try demo.get("/api/piechart").message.contains("\"date\" is missing"))
                #expect(try demo.get("/api/piechart?date=2026-02-30").status == 400)
                let before = try demo.get("/api/piechart?date=2024-05-06")
                #expect(before.data?[member: "piechart"]?[member: "recorded"]?.boolValue == false)
                try demo.set("status:503", "places", api: "path")
                let failed = try demo.post("/api/daily/path", Self.path)
                #expect(failed.status == 503)
                #expect(failed.error("path")?[member: "attempts"]?.intValue == 1)
                #expect(try demo.get("/api/piechart?date=2024-05-06").status == 200)
                try demo.set("none", "places", api: "path")

                let one = try demo.post("/api/daily/path", Self.path)
                #expect(one.status == 200)
                let places = one.data?[member: "path"]?[member: "places"]?.elements
                #expect(places?.first?[member: "name"]?.stringValue == "반포동 집")
                let longer = #"""
                    {"user":"u2","timeSequence":[{"time":"2024-05-06T08:00:00Z","latitude":37.5,"longitude":127.0},
                     {"time":"2024-05-06T17:30:00+09:00","latitude":37.5,"longitude":127.0}]}
                    """#
                let taken = try demo.post("/api/daily/path", longer)
                #expect(taken.data?[member: "path"]?[member: "seconds"]?.intValue == 1800)
                let after = try demo.get("/api/piechart?date=2024-05-06")
                #expect(after.data?[member: "piechart"]?[member: "recorded"]?.boolValue == true)
                let slices = after.data?[member: "piechart"]?[member: "slices"]?.elements
                #expect(slices?.first?[member: "percent"]?.description == "100.0")
            }
        }

        @Test(
            "A point off the grid gets 400, and an error code inside an upstream's HTTP 200 becomes serverErr"
        )
        func aPointOffTheGrid() throws {
            try withDemo { demo in
                for (query, rule) in [
                    ("", "\"nx\" is missing; it must be an integer from 1 to 149"),
                    ("?nx=60", "\"ny\" is missing; it must be an integer from 1 to 253"),
                    ("?nx=150&ny=127", "\"nx\" must be an integer from 1 to 149"),
                    ("?nx=60&ny=0", "\"ny\" must be an integer from 1 to 253"),
                    ("?nx=60&ny=127&convenience=yes", "\"convenience\" must be true or false"),
                    ("?nx=60&ny=127&page=0", "\"page\" must be an integer from 1 to 1000"),
                ] {
                    let answer = try demo.get("/api/weather\(query)")
                    #expect(answer.status == 400)
                    #expect(answer.message.contains(rule), "\(answer.message)")
                }
                let sea = try demo.get("/api/weather?nx=1&ny=253")
                #expect(sea.status == 502)
                #expect(sea.code == "BAD_GATEWAY")
                // One of the two calls may have cancelled the other.
                let failures = ["now", "forecast"].compactMap { sea.failure(of: $0) }
                #expect(Set(failures) == ["serverErr upstream_status 200"])
                #expect(!sea.json.description.contains("NO_DATA"))
                let beyond = try demo.get("/api/weather?nx=60&ny=127&page=16")
                #expect(beyond.status == 502)
                #expect(["success", "cancelled"].contains(beyond.kind(of: "now")))
                #expect(beyond.failure(of: "forecast") == "serverErr upstream_status 200")
                // JSON without the agency's envelope.
                try demo.set("status:200", "weather", api: "now")
                #expect(
                    try demo.get("/api/weather?nx=60&ny=127").failure(of: "now")
                        == "pathErr decode_error 200")
            }
        }

        @Test("The weather has the current observations and one page of the long or the short forecast")
        func theWeatherIsTwoCalls() throws {
            try withDemo { demo in
                func categories(_ query: String) throws -> [String] {
                    let answer = try demo.get("/api/weather?nx=60&ny=127\(query)")
                    #expect(answer.status == 200)
                    let now = answer.data?[member: "now"]
                    #expect(now?[member: "totalCount"]?.intValue == 8)
                    #expect(now?[member: "items"]?[member: "item"]?.elements.count == 8)
                    let forecast = try #require(answer.data?[member: "forecast"])
                    #expect(forecast[member: "items"]?[member: "item"]?.elements.count == 60)
                    let items = forecast[member: "items"]?[member: "item"]?.elements ?? []
                    return items.compactMap { $0[member: "category"]?.stringValue }
                }
                let long = try categories("")
                #expect(long.first == "TMP")
                let short = try categories("&convenience=true")
                #expect(short.first == "LGT")
                #expect(Set(short).count == 10)
                let second = try demo.get("/api/weather?nx=60&ny=127&page=2")
                #expect(second.data?[member: "forecast"]?[member: "pageNo"]?.intValue == 2)
                #expect(second.data?[member: "now"]?[member: "pageNo"]?.intValue == 1)
            }
        }

        @Test("An unknown user gets 404, an invalid name 400, and a known user has a profile")
        func aUserWhomNobodyKnows() throws {
            try withDemo { demo in
                let unknown = try demo.get("/api/users/NOBODY")
                #expect(unknown.status == 404)
                #expect(unknown.code == "NOT_FOUND")
                #expect(unknown.failure(of: "user") == "requestErr upstream_status 404")
                #expect(!unknown.json.description.contains("USER_NOT_FOUND"))
                let long = try demo.get("/api/users/\(String(repeating: "x", count: 33))")
                #expect(long.status == 400)
                #expect(long.message.contains("1 to 32 characters"))
                #expect(try demo.get("/api/users/..%2fGREEN").status == 400)
                let green = try demo.get("/api/users/GREEN")
                #expect(green.status == 200)
                #expect(green.data?[member: "user"]?[member: "nameKo"]?.stringValue == "김초록")
                let sky = try demo.get("/api/users/%ED%95%98%EB%8A%98")
                #expect(sky.data?[member: "user"]?[member: "name"]?.stringValue == "하늘")
            }
        }

        @Test(
            "A failing status inside an envelope becomes serverErr, an invalid UUID gets 400, and a valid UUID gets tags"
        )
        func aCardsInnerStatus() throws {
            try withDemo { demo in
                let card = "/api/tags/received/3f2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c0"
                let wrong = try demo.get("/api/tags/received/7")
                #expect(wrong.status == 400)
                #expect(wrong.message.contains("\"cardUUID\" must be a UUID"))
                for (last, status) in [("9", 404), ("3", 403)] {
                    let answer = try demo.get(card + last)
                    #expect(answer.status == 502)
                    #expect(answer.failure(of: "received") == "serverErr upstream_status \(status)")
                    #expect(!answer.json.description.contains("CARD_"))
                }
                let received = try demo.get(card + "1")
                #expect(received.status == 200)
                #expect(received.data?[member: "received"]?.elements.count == 3)
                #expect(try demo.get(card + "2").data?[member: "received"]?.description == "[]")
                let tags = try demo.get("/api/tags")
                #expect(tags.data?[member: "tags"]?.elements.count == 8)
            }
        }

        @Test(
            "The answer has the kind, reason and status of each fault of an upstream",
            arguments: [
                ("places", "/api/piechart?date=2026-11-20", "piechart"),
                ("users", "/api/users/GREEN", "user"),
                ("tags", "/api/tags", "tags"), ("weather", "/api/weather?nx=60&ny=127", "now"),
                ("diary", "/api/weights/today?fddDate=2026-11-20", "today"),
            ])
        func whatAnUpstreamDoesWrong(upstream: String, target: String, part: String) throws {
            try withDemo { demo in
                for (fault, status, failure) in [
                    ("status:503", 503, "serverErr upstream_status 503"),
                    ("status:504", 504, "serverErr upstream_status 504"),
                    ("status:500", 502, "serverErr upstream_status 500"),
                    ("status:404", 404, "requestErr upstream_status 404"),
                    ("status:418", 502, "requestErr upstream_status 418"),
                    ("status:304", 502, "pathErr unexpected_status 304"),
                    ("drop", 502, "networkFail connection_terminated null"),
                    ("garbage", 502, "networkFail http_protocol_error null"),
                    ("truncate", 502, "networkFail http_response_incomplete null"),
                ] {
                    // Only one of the two calls for the weather fails, because the other would be cancelled.
                    try demo.set(fault, upstream, api: part == "now" ? "now" : nil)
                    let answer = try demo.get(target)
                    #expect(answer.status == status, "\(fault)")
                    #expect(answer.failure(of: part) == failure, "\(fault)")
                    #expect(answer.data?.isNull == true, "\(fault)")
                }
                try demo.set("status:204", upstream)
                let nothing = try demo.get(target)
                #expect(nothing.status == 200)
                #expect(nothing.kind(of: part) == "noContent")
                try demo.set("none", upstream)
                #expect(try demo.get(target).kind(of: part) == "success")
            }
        }
    }
}
