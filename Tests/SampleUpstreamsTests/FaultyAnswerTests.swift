import EventIO
import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

@Suite("Faults on the wire")
struct FaultyAnswerTests {
    private static let chart = "/food-diary/weights?fddDate=2026-11-20&keyword=recent"

    private func set(_ fault: String, _ api: String = "weights", on server: RunningServer) throws {
        let answer = try server.send("PUT", "/faults", #"{"api":"\#(api)","fault":"\#(fault)"}"#)
        try #require(answer.status == 200)
        try #require(answer.json?[member: "data"]?[member: api]?.stringValue == fault)
    }

    @Test("An invalid fault gets a 400 that quotes it, and the current faults stay")
    func anInvalidFaultGets400() throws {
        try withServer { server in
            try set("status:503", on: server)
            for (body, named) in [
                (#"{"api":"weights","fault":"slow"}"#, "\"slow\""),
                (#"{"api":"weigths","fault":"drop"}"#, "\"weigths\""),
                ("drop", "not JSON"), (#"{"api":"weights"}"#, "\"fault\""),
            ] {
                let answer = try server.send("PUT", "/faults", body)
                #expect(answer.status == 400)
                #expect(answer.json?[member: "code"]?.stringValue == "INVALID_REQUEST")
                #expect(
                    answer.json?[member: "message"]?.stringValue?.contains(named) == true, "\(answer.text)")
            }
            let list = try #require(try server.send("GET", "/faults").json?[member: "data"])
            #expect(list.members.map(\.name) == FaultSwitch.allCases.map(\.rawValue))
            for (name, fault) in list.members {
                #expect(fault.stringValue == (name == "weights" ? "status:503" : "none"))
            }
        }
    }

    @Test("drop resets the connection without an answer")
    func dropResetsTheConnection() throws {
        try withServer { server in
            try set("drop", on: server)
            let (bytes, end) = try server.exchange("GET", Self.chart)
            #expect(bytes.isEmpty)
            #expect(end == .reset)
            #expect(try server.send("GET", "/food-diary/weights/2026-11-20").status == 200)
        }
    }

    @Test("garbage sends bytes that are not HTTP and closes the connection")
    func garbageIsNotHTTP() throws {
        try withServer { server in
            try set("garbage", on: server)
            let bytes = try server.sendRaw("GET", Self.chart)
            #expect(bytes[...] == RawAnswer.garbage)
            #expect(RawAnswerText(bytes).status == nil)
        }
    }

    @Test("truncate announces the whole body and closes the connection after half of it")
    func truncateClosesAfterHalfOfTheBody() throws {
        try withServer { server in
            let whole = try server.send("GET", Self.chart)
            try set("truncate", on: server)
            let cut = try server.send("GET", Self.chart)
            #expect(cut.status == 200)
            #expect(cut.field("Content-Length") == "\(whole.body.count)")
            #expect(cut.body == Array(whole.body.prefix(whole.body.count / 2)))
            // Without a body, the head is cut.
            let nothing = try server.sendRaw("GET", "/food-diary/weights?fddDate=2019-01-01")
            #expect(String(decoding: nothing, as: UTF8.self).hasPrefix("HTTP/1.1 204"))
            #expect(!String(decoding: nothing, as: UTF8.self).contains("\r\n\r\n"))
        }
    }

    @Test("trickle sends one byte at a time and ends when the client leaves")
    func trickleSendsAByteAtATime() throws {
        try withServer { server in
            try set("trickle", on: server)
            _ = try server.events.next()
            let clock = ContinuousClock()
            let start = clock.now
            do {
                let client = try RawClient(port: server.port)
                client.send(server.request("GET", Self.chart))
                #expect(try client.read(count: 4) == Array("HTTP".utf8))
                #expect(clock.now - start >= .nanoseconds(3 * TrickledAnswer.interval.nanoseconds))
            }
            let answer = try server.events.next()
            #expect(answer.end != .completed)
            #expect(answer.status == 200)
        }
    }

    @Test("A trickled answer is complete")
    func aTrickledAnswerIsTheWholeAnswer() throws {
        try withServer(trickleInterval: .milliseconds(2)) { server in
            try set("trickle", "record", on: server)
            // The shortest answer has about 50 bytes.
            let answer = try server.send("DELETE", "/food-diary/weights/2026-11-20/am")
            #expect(answer.head.hasPrefix("HTTP/1.1 204 No Content\r\n"))
            #expect(answer.head.hasSuffix("\r\nConnection: close"))
            #expect(answer.body.isEmpty)
        }
    }

    @Test(
        "status answers with that status, and with an envelope if it allows a body",
        arguments: [200, 204, 304, 404, 429, 503, 599])
    func statusAnswersWithThatStatus(_ code: Int) throws {
        try withServer { server in
            try set("status:\(code)", on: server)
            let answer = try server.send("GET", Self.chart)
            #expect(answer.status == code)
            if code == 204 || code == 304 {
                #expect(answer.body.isEmpty)
            } else {
                #expect(answer.json?[member: "status"]?.intValue == code)
                #expect(answer.json?[member: "code"]?.stringValue == "FAULT")
            }
        }
    }

    @Test("delay sends the normal answer after the delay")
    func delayAnswersWellLater() throws {
        try withServer { server in
            let atOnce = try server.send("GET", Self.chart)
            try set("delay:150", on: server)
            let clock = ContinuousClock()
            let start = clock.now
            let late = try server.send("GET", Self.chart)
            #expect(clock.now - start >= .milliseconds(150))
            #expect(late.body == atOnce.body)
            try set("none", on: server)
            #expect(try server.send("GET", Self.chart).body == atOnce.body)
        }
    }

    @Test("If a client leaves during the delay, its write does not happen")
    func aClientThatLeavesDuringTheDelayHasWrittenNothing() throws {
        try withServer { server in
            let before = try server.send("GET", "/food-diary/weights/2026-11-20")
            _ = try server.events.next()
            try set("delay:600000", "record", on: server)
            _ = try server.events.next()
            do {
                let client = try RawClient(port: server.port)
                client.send(
                    server.request("PUT", "/food-diary/weights/2026-11-20/am", #"{"weight":20}"#))
            }
            let left = try server.events.next()
            #expect(left.end == .clientGone)
            #expect(left.bytesSent == 0)
            #expect(try server.send("GET", "/food-diary/weights/2026-11-20").body == before.body)
        }
    }

    @Test("A fault for writing does not affect reading, and a dropped write does not happen")
    func aFaultOfWritingLeavesReadingAlone() throws {
        try withServer { server in
            let before = try server.send("GET", "/food-diary/weights/2026-11-20")
            try set("status:503", "record", on: server)
            let put = try server.send("PUT", "/food-diary/weights/2026-11-20/am", #"{"weight":20}"#)
            #expect(put.status == 503)
            try set("drop", "record", on: server)
            #expect(try server.exchange("DELETE", "/food-diary/weights/2026-11-20/am").end == .reset)
            #expect(try server.send("GET", "/food-diary/weights/2026-11-20").body == before.body)
            #expect(try server.send("GET", Self.chart).status == 200)
        }
    }

    @Test("One chart can fail while the other answers")
    func oneChartCanFailWhileTheOtherAnswers() throws {
        try withServer { server in
            try set("status:500", "recent", on: server)
            #expect(try server.send("GET", Self.chart).status == 500)
            #expect(try server.send("GET", "/food-diary/weights?fddDate=2026-11-20").status == 200)
        }
    }

    @Test("An invalid request is rejected even if a fault is set")
    func aRequestThatIsWrongIsToldSo() throws {
        try withServer { server in
            try set("drop", on: server)
            #expect(try server.send("GET", "/food-diary/weights?fddDate=soon").status == 400)
        }
    }
}
