import TestSupport
import Testing

@testable import SampleUpstreams

@Suite("Faults of each upstream")
struct UpstreamFaultTests {
    private static let calls: [(FaultSwitch, String, String, String?)] = [
        (.diary, "GET", "/food-diary/weights/2026-11-20", nil),
        (.weather, "GET", "/weather/getUltraSrtNcst?nx=60&ny=127", nil),
        (.weather, "GET", "/weather/getVilageFcst?nx=60&ny=127", nil),
        (.places, "GET", "/places/piechart?date=2026-11-20", nil),
        (
            .places, "POST", "/places/daily/path",
            #"{"user":"u","timeSequence":[{"time":"2026-11-20T08:00:00Z","latitude":1,"longitude":1}]}"#
        ),
        (.users, "GET", "/users/GREEN", nil),
        (.users, "GET", "/users/GREEN/picture", nil),
        (.tags, "GET", "/tags", nil),
        (.tags, "GET", "/tags/received/3f2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c01", nil),
    ]

    @Test(
        "An upstream fails only if its own switch is set, and answers again once the fault is removed",
        arguments: SampleUpstream.allCases)
    func itFailsWithItsOwnSwitch(upstream: SampleUpstream) throws {
        let whole = FaultSwitch(upstream)
        try withServer { server in
            let before = try Self.calls.map { try server.send($0.1, $0.2, $0.3) }
            #expect(before.allSatisfy { $0.status == 200 })
            for fault in [Fault.status(503), .drop, .garbage, .truncate] {
                server.samples.faults.set(fault, for: whole)
                for (place, method, target, body) in Self.calls {
                    let (bytes, end) = try server.exchange(method, target, body)
                    let answer = RawAnswerText(bytes)
                    guard place == whole else {
                        #expect(answer.status == 200, "\(target) while \(whole) has \(fault)")
                        continue
                    }
                    switch fault {
                    case .status(let code): #expect(answer.status == code, "\(target)")
                    case .drop: #expect(bytes.isEmpty && end == .reset, "\(target)")
                    case .garbage: #expect(bytes[...] == RawAnswer.garbage, "\(target)")
                    default: #expect(answer.field("Content-Length") != "\(answer.body.count)", "\(target)")
                    }
                }
            }
            server.samples.faults.set(.none, for: whole)
            let after = try Self.calls.map { try server.send($0.1, $0.2, $0.3) }
            #expect(after.map(\.body) == before.map(\.body))
        }
    }

    @Test("A part of an upstream can fail alone")
    func aPartFailsAlone() throws {
        try withServer { server in
            server.samples.faults.set(.status(500), for: .forecast)
            server.samples.faults.set(.status(500), for: .received)
            server.samples.faults.set(.status(500), for: .piechart)
            let statuses = try Self.calls.map { try server.send($0.1, $0.2, $0.3).status }
            #expect(statuses == [200, 200, 500, 500, 200, 200, 200, 200, 500])
        }
    }
}
