import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

@Suite("Recent calls")
struct RecentCallsTests {
    private static let nothing = #"{"nowMs":0.0,"calls":[]}"#

    @Test("Calls of IDs that no page chose are not recorded")
    func otherIDs() {
        let calls = RecentCalls()
        #expect(calls.began("abc", "GET", "/tags") == nil)
        #expect(calls.list(of: "abc").description == Self.nothing)
    }

    @Test(
        "Beyond 128 requests the oldest is forgotten, and beyond 64 calls a request's calls are not recorded")
    func bounds() {
        let calls = RecentCalls()
        for number in 0...RecentCalls.requestLimit {
            #expect(calls.began("demo-\(number)", "GET", "/tags")?.number == 0)
        }
        #expect(calls.list(of: "demo-0").description == Self.nothing)
        #expect(calls.list(of: "demo-1")[member: "calls"]?.elements.count == 1)
        // The end of a forgotten call changes nothing.
        calls.ended(RecentCalls.Key(requestID: "demo-0", number: 0), status: 200)
        for number in 1..<RecentCalls.callLimit {
            #expect(calls.began("demo-1", "GET", "/tags")?.number == number)
        }
        #expect(calls.began("demo-1", "GET", "/tags") == nil)
    }

    @Test("A call over a socket is listed with its target, its times and its status")
    func overSocket() throws {
        try withServer { server in
            func get() throws {
                let client = try RawClient(port: server.port)
                client.send(
                    "GET /tags HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Request-Id: demo-a\r\n\r\n"
                )
                _ = client.readToEnd()
                _ = try server.events.next()
            }
            try get()
            server.samples.faults.set(.drop, for: FaultSwitch(.tags))
            try get()
            let list = server.samples.calls.list(of: "demo-a")
            let calls = list[member: "calls"]?.elements ?? []
            #expect(calls.map { $0[member: "target"]?.stringValue } == ["/tags", "/tags"])
            #expect(calls.map { $0[member: "status"]?.intValue } == [200, nil])
            #expect(calls.allSatisfy { $0[member: "endMs"]?.kind == .number })
        }
    }
}
