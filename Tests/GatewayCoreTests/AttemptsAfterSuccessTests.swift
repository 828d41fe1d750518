import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// A part whose call succeeded may fail after it.
@Suite("Attempts and status of a failure after a successful call", .noLeaks)
struct AttemptsAfterSuccessTests {
    private let bench = Bench()

    private func expectCall(_ reply: Reply, attempts: Int = 1, status: String = "200") {
        #expect(reply["/errors/0/attempts"] == "\(attempts)")
        #expect(reply["/errors/0/status"] == status)
        #expect(reply["/errors/0/kind"] == #""pathErr""#)
    }

    @Test("An array cannot be merged: one attempt, status 200")
    func merge() throws {
        try bench.page([
            bench.part("settings", "/list").merged(), PlannedPart("other", .value(.constant(.null))),
        ])
        bench.upstream("/list", .data("[]"))
        expectCall(try bench.answer(.get, "/page"))
    }

    @Test("A number has no members to keep: one attempt, status 200, if another part reads it too")
    func keep() throws {
        let part = bench.part("settings", "/number").shaped { $0.kept = ["theme"] }
        try bench.page("/alone", [part])
        try bench.page("/read", [part, PlannedPart("copy", .value(value("{parts.settings}")))])
        bench.transport.answer(.data("5"))
        expectCall(try bench.answer(.get, "/alone"))
        expectCall(try bench.answer(.get, "/read"))
    }

    @Test("A handler in Swift that shapes a response: one attempt, status 200; without a call, none")
    func handler() throws {
        let diary = bench.diary
        bench.gateway.get("/page") { _ in
            .parts(a: diary.rx.request(.recent).fragment().map { try $0.keep("theme") })
        }
        bench.gateway.get("/constant") { _ in
            .parts(a: Single.just(JSONFragment(string: "5")).map { try $0.keep("theme") })
        }
        bench.transport.answer(.data("5"))
        expectCall(try bench.answer(.get, "/page"))
        let constant = try bench.answer(.get, "/constant")
        #expect(constant["/errors/0/attempts"] == "0")
        #expect(constant["/errors/0/status"] == "null")
    }

    @Test("An error that the endpoint throws after a call has its own status and the call's attempts")
    func ownError() throws {
        let diary = bench.diary
        bench.gateway.get("/page") { _ in
            .parts(
                a: diary.rx.request(.recent).fragment().map { _ -> JSONFragment in
                    throw GatewayError.conflict("taken")
                })
        }
        bench.transport.answer(.data("5"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/errors/0/attempts"] == "1")
        #expect(reply["/errors/0/status"] == "409")
    }
}
