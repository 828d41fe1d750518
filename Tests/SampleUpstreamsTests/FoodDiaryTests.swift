import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

@Suite("Food diary API")
struct FoodDiaryTests {
    private func expectFailure(
        _ answer: RawAnswerText, _ status: Int, _ code: String, naming: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status, sourceLocation: sourceLocation)
        #expect(
            answer.field("Content-Type") == "application/json; charset=utf-8", sourceLocation: sourceLocation)
        #expect(answer.json?[member: "status"]?.intValue == status, sourceLocation: sourceLocation)
        #expect(answer.json?[member: "code"]?.stringValue == code, sourceLocation: sourceLocation)
        #expect(answer.json?[member: "data"]?.isNull == true, sourceLocation: sourceLocation)
        let message = answer.json?[member: "message"]?.stringValue ?? ""
        #expect(message.contains(naming), "\(message)", sourceLocation: sourceLocation)
    }

    @Test("A missing or malformed fddDate gets a 400 that names it")
    func aMissingOrMalformedDateIs400() throws {
        try withServer { server in
            let refused = [
                "", "?", "?keyword=recent", "?fdddate=2026-11-20", "?fddDate", "?fddDate=", "?fddDate=today",
                "?fddDate=2026-11-31", "?fddDate=2026-11-20%20", "?fddDate=2026-11-20&fddDate=2026-11-20",
            ]
            for query in refused {
                let answer = try server.send("GET", "/food-diary/weights\(query)")
                expectFailure(answer, 400, "INVALID_REQUEST", naming: "fddDate")
            }
            let answer = try server.send("GET", "/food-diary/weights?fddDate=%ZZ")
            expectFailure(answer, 400, "INVALID_REQUEST", naming: "fddDate")
        }
    }

    @Test("A date in the path that does not exist gets 400")
    func aDateInThePathThatDoesNotExistIs400() throws {
        try withServer { server in
            for date in ["2026-02-29", "yesterday", "2026-1-1"] {
                let get = try server.send("GET", "/food-diary/weights/\(date)")
                expectFailure(get, 400, "INVALID_REQUEST", naming: "date")
                let put = try server.send("PUT", "/food-diary/weights/\(date)/am", #"{"weight":70}"#)
                expectFailure(put, 400, "INVALID_REQUEST", naming: "date")
                let delete = try server.send("DELETE", "/food-diary/weights/\(date)/pm")
                expectFailure(delete, 400, "INVALID_REQUEST", naming: "date")
            }
        }
    }

    @Test("An unknown path gets 404")
    func anUnknownPathIs404() throws {
        try withServer { server in
            let unknown = [
                "/", "/food-diary", "/food-diary/weights/", "/food-diary/weights/2026-11-20/noon",
                "/food-diary/weights/2026-11-20/AM", "/faults/weights",
            ]
            for path in unknown {
                expectFailure(try server.send("GET", path), 404, "NOT_FOUND", naming: "path")
            }
        }
    }

    @Test("A body that is not JSON gets 400, a body without a valid weight 422, and nothing is written")
    func aBodyWithoutAWeightIsRefused() throws {
        try withServer(today: "2019-01-01") { server in
            let path = "/food-diary/weights/2018-05-05/am"
            expectFailure(try server.send("PUT", path, ""), 400, "INVALID_REQUEST", naming: "JSON")
            for body in ["{", "weight=70", #"{"weight":070}"#, #"{"weight":NaN}"#] {
                expectFailure(try server.send("PUT", path, body), 400, "INVALID_REQUEST", naming: "not JSON")
            }
            for body in [
                "[]", "70", "{}", #"{"weight":null}"#, #"{"weight":"70"}"#, #"{"Weight":70}"#,
                #"{"weight":1e999}"#,
            ] {
                expectFailure(try server.send("PUT", path, body), 422, "UNPROCESSABLE", naming: "weight")
            }
            for weight in ["19.999", "300.001", "0", "-70", "1e3"] {
                let answer = try server.send("PUT", path, #"{"weight":\#(weight)}"#)
                expectFailure(answer, 422, "UNPROCESSABLE", naming: "20 to 300 kg")
            }
            #expect(try server.send("GET", "/food-diary/weights/2018-05-05").status == 204)
        }
    }

    @Test("A request for a day without data gets 204 without a body")
    func nothingIs204() throws {
        try withServer { server in
            for target in [
                "/food-diary/weights?fddDate=2019-12-31&keyword=recent",
                "/food-diary/weights?fddDate=2019-12-31",
                "/food-diary/weights?fddDate=2026-11-27&keyword=recent", "/food-diary/weights/2026-11-21",
                "/food-diary/weights/2019-12-31", "/food-diary/weights/0001-01-01",
                "/food-diary/weights/9999-12-31",
            ] {
                let answer = try server.send("GET", target)
                #expect(answer.status == 204, "\(target)")
                #expect(answer.body.isEmpty)
                #expect(answer.field("Content-Length") == nil)
            }
        }
    }

    @Test("The recent chart matches the contract, byte for byte")
    func theRecentChartHasTheShapeThatClientsKnow() throws {
        try withServer { server in
            var expected: [String] = []
            for day in 14...20 {
                let weights = [70_000 + day * 100, 70_700 + day * 100]
                for (half, grams) in zip(["am", "pm"], weights) {
                    let body = #"{"weight":\#(Double(grams) / 1000)}"#
                    #expect(
                        try server.send("PUT", "/food-diary/weights/2026-11-\(day)/\(half)", body).status
                            == 200)
                }
                expected.append(
                    #"{"date":"2026-11-\#(day)","am":\#(Double(weights[0]) / 1000),"pm":\#(Double(weights[1]) / 1000)}"#
                )
            }
            let answer = try server.send("GET", "/food-diary/weights?fddDate=2026-11-20&keyword=recent")
            #expect(
                answer.text
                    == #"{"code":"OK","message":"success","status":200,"data":{"unit":"kg","points":["#
                    + expected.joined(separator: ",") + "]}}")
            #expect(answer.field("Content-Length") == "\(answer.body.count)")
            #expect(answer.field("Date") != nil)
        }
    }

    @Test("The total chart has the means of twelve months and is the default")
    func theTotalChartHasTheMeansOfTwelveMonths() throws {
        try withServer { server in
            let answer = try server.send("GET", "/food-diary/weights?fddDate=2026-11-20")
            let points = answer.json?[member: "data"]?[member: "points"]?.elements ?? []
            let months = (1...11).map { "2026-" + ($0 < 10 ? "0" : "") + "\($0)" }
            #expect(points.compactMap { $0[member: "date"]?.stringValue } == ["2025-12"] + months)
            #expect(points.allSatisfy { (60...80).contains($0[member: "am"]?.doubleValue ?? 0) })
            let total = try server.send("GET", "/food-diary/weights?keyword=total&fddDate=2026-11-20")
            #expect(total.body == answer.body)
        }
    }

    @Test("A recorded weight is in the day and in the charts, even after a restart")
    func aWeightThatWasPutIsThere() throws {
        let scratch = ScratchFolder()
        try withServer(scratch: scratch, today: "2019-01-01") { server in
            let put = try server.send("PUT", "/food-diary/weights/2018-05-05/pm", #"{"weight":71.55}"#)
            #expect(put.status == 200)
            let expected = #"{"date":"2018-05-05","am":null,"pm":71.55}"#
            #expect(put.json?[member: "data"]?.description == expected)
            for weight in ["20", "300", "7.1005e1"] {
                #expect(
                    try server.send("PUT", "/food-diary/weights/2018-05-06/am", #"{"weight":\#(weight)}"#)
                        .status == 200)
            }
        }
        try withServer(scratch: scratch, today: "2019-01-01") { server in
            let day = try server.send("GET", "/food-diary/weights/2018-05-06")
            #expect(day.json?[member: "data"]?.description == #"{"date":"2018-05-06","am":71.005,"pm":null}"#)
            let chart = try server.send("GET", "/food-diary/weights?fddDate=2018-05-07&keyword=recent")
            let points =
                #"[{"date":"2018-05-05","am":null,"pm":71.55},{"date":"2018-05-06","am":71.005,"pm":null}]"#
            #expect(chart.json?[member: "data"]?[member: "points"]?.description == points)
            let total = try server.send("GET", "/food-diary/weights?fddDate=2018-05-07")
            let means = #"[{"date":"2018-05","am":71.0,"pm":71.6}]"#
            #expect(total.json?[member: "data"]?[member: "points"]?.description == means)
        }
    }

    @Test("A deleted weight stays deleted, even after a restart")
    func aWeightThatWasDeletedDoesNotComeBack() throws {
        let scratch = ScratchFolder()
        try withServer(scratch: scratch) { server in
            let before = try server.send("GET", "/food-diary/weights/2026-11-20")
            #expect(before.json?[member: "data"]?[member: "am"]?.kind == .number)
            for _ in 0..<2 {
                let delete = try server.send("DELETE", "/food-diary/weights/2026-11-20/am")
                #expect(delete.status == 204)
                #expect(delete.body.isEmpty)
            }
        }
        try withServer(scratch: scratch, today: "2026-11-23") { server in
            let after = try server.send("GET", "/food-diary/weights/2026-11-20")
            #expect(after.json?[member: "data"]?[member: "am"]?.isNull == true)
            #expect(after.json?[member: "data"]?[member: "pm"]?.kind == .number)
            try server.send("DELETE", "/food-diary/weights/2026-11-20/pm")
            #expect(try server.send("GET", "/food-diary/weights/2026-11-20").status == 204)
            let chart = try server.send("GET", "/food-diary/weights?fddDate=2026-11-20&keyword=recent")
            #expect(chart.json?[member: "data"]?[member: "points"]?.elements.count == 6)
        }
    }

    @Test("A failed write gets 500 without the file's path")
    func aDiaryThatCannotBeWrittenIsA500() throws {
        let scratch = ScratchFolder()
        try withServer(scratch: scratch) { server in
            let other = try SQLiteDatabase(path: scratch.diary, busyTimeout: 0)
            try other.execute("DROP TABLE visitor_weight")
            let answer = try server.send("PUT", "/food-diary/weights/2026-11-20/am", #"{"weight":70}"#)
            expectFailure(answer, 500, "INTERNAL", naming: "")
            #expect(!answer.text.contains(scratch.path))
        }
    }
}
