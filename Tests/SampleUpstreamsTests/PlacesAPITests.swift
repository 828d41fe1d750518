import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

@Suite("Places API")
struct PlacesAPITests {
    private static let path = "/places/daily/path"

    private func body(_ points: String, user: String = "u1") -> String {
        #"{"user":"\#(user)","timeSequence":[\#(points)]}"#
    }

    private func point(_ time: String, _ latitude: Double, _ longitude: Double) -> String {
        #"{"time":"\#(time)","latitude":\#(latitude),"longitude":\#(longitude)}"#
    }

    private func expectRefusal(
        _ answer: RawAnswerText, naming: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == 400, sourceLocation: sourceLocation)
        let message = answer.json?[member: "responseMsg"]?.stringValue
        #expect(message?.contains(naming) == true, "\(answer.text)", sourceLocation: sourceLocation)
        // The payload repeats the message.
        #expect(answer.json?[member: "data"]?.stringValue == message, sourceLocation: sourceLocation)
        #expect(answer.json?[member: "status"]?.intValue == 400, sourceLocation: sourceLocation)
    }

    @Test("An invalid path gets a 400 that names the error, and is not stored")
    func whatIsWrongWithAPathIsNamed() throws {
        try withServer { server in
            let good = point("2026-11-20T08:00:00Z", 37.5, 127)
            let refused = [
                ("", "must be JSON"), ("[]", "object"), (#"{"timeSequence":[\#(good)]}"#, "user"),
                (body(good, user: ""), "user"), (body(good, user: String(repeating: "u", count: 65)), "user"),
                (#"{"user":"u1"}"#, "timeSequence"), (#"{"user":"u1","timeSequence":{}}"#, "timeSequence"),
                (body(""), "1 to 1440 points"), (body("7"), "timeSequence[0]"),
                (body(good + "," + point("yesterday", 37.5, 127)), "timeSequence[1].time"),
                (body(point("2026-11-20T08:00:00", 37.5, 127)), "timeSequence[0].time"),
                (body(point("2026-11-31T08:00:00Z", 37.5, 127)), "timeSequence[0].time"),
                (body(point("2026-11-20T08:00:00Z", 90.1, 127)), "timeSequence[0].latitude"),
                (body(point("2026-11-20T08:00:00Z", 37.5, -180.5)), "timeSequence[0].longitude"),
                (body(#"{"time":"2026-11-20T08:00:00Z","latitude":"37","longitude":1}"#), "latitude"),
                (body(Array(repeating: good, count: 1441).joined(separator: ",")), "1 to 1440"),
            ]
            for (document, named) in refused {
                expectRefusal(try server.send("POST", Self.path, document), naming: named)
            }
            let chart = try server.send("GET", "/places/piechart?date=2026-11-20")
            #expect(chart.json?[member: "data"]?[member: "recorded"]?.boolValue == false)
        }
    }

    @Test("A body beyond the limit gets 413, and an invalid date 400")
    func whatElseIsRefused() throws {
        try withServer { server in
            let long = body(String(repeating: " ", count: 300_000))
            #expect(try server.send("POST", Self.path, long).status == 413)
            for query in ["", "?date=", "?date=2026-11-31", "?date=2026-11-20&date=2026-11-20"] {
                expectRefusal(try server.send("GET", "/places/piechart\(query)"), naming: "date")
            }
        }
    }

    @Test("The summary of a path has its distance, its duration and its places with names in both languages")
    func aPathHasItsDistanceAndPlaces() throws {
        try withServer { server in
            // Half an hour at home, the way to Gangnam Station, ten minutes there. The points are posted out
            // of order.
            let points = [
                point("2026-11-20T09:10:00+00:00", 37.4980, 127.0277),
                point("2026-11-20T08:00:00Z", 37.5, 127.0), point("2026-11-20T08:30:00Z", 37.5003, 127.0),
                point("2026-11-20T18:00:00+09:00", 37.4980, 127.0275),
            ]
            let answer = try server.send("POST", Self.path, body(points.joined(separator: ",")))
            #expect(answer.status == 200)
            #expect(
                answer.json?.members.map(\.name) == ["code", "responseMsg", "status", "data"])
            let data = try #require(answer.json?[member: "data"])
            #expect(data[member: "points"]?.intValue == 4)
            #expect(data[member: "seconds"]?.intValue == 4200)
            #expect((2400...2520).contains(data[member: "distanceMeters"]?.intValue ?? 0), "\(data)")
            let places = data[member: "places"]?.elements ?? []
            #expect(places.compactMap { $0[member: "name"]?.stringValue } == ["반포동 집", "강남역"])
            #expect(
                places.compactMap { $0[member: "nameEn"]?.stringValue }
                    == ["Home in Banpo", "Gangnam Station"])
            #expect(places.compactMap { $0[member: "staySeconds"]?.intValue } == [1800, 600])
            #expect(places.last?[member: "arrivedAt"]?.stringValue == "2026-11-20T09:00:00Z")
        }
    }

    @Test("The pie chart of a day has the times of its paths, even after a restart")
    func thePathsAreThePieOfTheirDay() throws {
        let scratch = ScratchFolder()
        try withServer(scratch: scratch) { server in
            let points = [
                point("2026-11-20T08:00:00Z", 37.5, 127.0), point("2026-11-20T08:30:00Z", 37.5, 127.0),
                point("2026-11-20T08:40:00Z", 37.571, 126.977),
                point("2026-11-20T09:30:00Z", 37.571, 126.977),
            ]
            // A path that is posted twice counts once.
            for _ in 0..<2 {
                let answer = try server.send("POST", Self.path, body(points.joined(separator: ",")))
                #expect(answer.status == 200)
            }
        }
        try withServer(scratch: scratch) { server in
            let answer = try server.send("GET", "/places/piechart?date=2026-11-20")
            let data = try #require(answer.json?[member: "data"])
            #expect(data[member: "recorded"]?.boolValue == true)
            let slices = data[member: "slices"]?.elements ?? []
            #expect(
                slices.map(\.description) == [
                    #"{"category":"work","name":"회사","nameEn":"Work","minutes":50,"percent":55.6}"#,
                    #"{"category":"home","name":"집","nameEn":"Home","minutes":30,"percent":33.3}"#,
                    #"{"category":"transit","name":"이동","nameEn":"On the way","minutes":10,"percent":11.1}"#,
                ])
            for day in ["2026-11-19", "2026-11-18"] {
                let other = try server.send("GET", "/places/piechart?date=\(day)")
                #expect(other.json?[member: "data"]?[member: "recorded"]?.boolValue == false)
            }
        }
    }

    @Test(
        "A day without paths has simulated times that add up to 24 hours; a day before 2020 or after today gets 204"
    )
    func aDayWithoutPathsHasSimulatedTimes() throws {
        try withServer { server in
            for day in ["2019-12-31", "2026-11-21"] {
                #expect(try server.send("GET", "/places/piechart?date=\(day)").status == 204)
            }
            for day in 10...20 {
                let answer = try server.send("GET", "/places/piechart?date=2026-11-\(day)")
                let slices = answer.json?[member: "data"]?[member: "slices"]?.elements ?? []
                let minutes = slices.compactMap { $0[member: "minutes"]?.intValue }
                #expect(minutes.reduce(0, +) == 1440, "\(day)")
                let tenths = slices.compactMap { $0[member: "percent"]?.doubleValue }
                    .reduce(0) { $0 + Int(($1 * 10).rounded()) }
                #expect(tenths == 1000, "\(day)")
                // The 14th and the 15th are a Saturday and a Sunday.
                let works = slices.contains { $0[member: "category"]?.stringValue == "work" }
                #expect(works == (day != 14 && day != 15), "\(day)")
            }
        }
    }

    @Test("Computed distances match known distances on the Earth")
    func distancesAreThoseOfTheEarth() {
        let seoul = Coordinate(latitude: 37.5665, longitude: 126.978)
        let busan = Coordinate(latitude: 35.1796, longitude: 129.0756)
        #expect(abs(seoul.distance(to: busan) - 325_000) < 1000)
        #expect(seoul.distance(to: seoul) == 0)
        let pole = Coordinate(latitude: 90, longitude: 0)
        let other = Coordinate(latitude: -90, longitude: 120)
        #expect(abs(pole.distance(to: other) - 20_015_114) < 10)
    }
}
