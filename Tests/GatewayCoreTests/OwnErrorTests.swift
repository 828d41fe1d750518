import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx
import RxTesting
import Testing

extension ErrorCode {
    fileprivate static let cartEmpty = ErrorCode(
        "CART_EMPTY", status: .conflict, title: "Nothing is in the cart")
}

/// A model that refuses some values by an error of its own.
private struct Cart: Decodable, Sendable {
    var items: [Int]

    init(from decoder: any Decoder) throws {
        items = try decoder.singleValueContainer().decode([Int].self)
        guard !items.isEmpty else {
            throw GatewayError(.cartEmpty, "The cart is empty", details: ["items": 0])
        }
    }
}

@Suite("Errors of an endpoint's own", .noLeaks)
struct OwnErrorTests {
    private let bench = Bench()
    private static let empty = GatewayError(
        code: "CART_EMPTY", status: .conflict, message: "The cart is empty",
        details: ["cart": 12, "items": []])

    @Test(
        "A malformed code, or the status of a success, is 500 INTERNAL and an incident that says why",
        arguments: [
            ("", 409, "64 capital letters"), ("cartEmpty", 409, "64 capital letters"),
            ("1_CART", 409, "64 capital letters"),
            ("CART EMPTY", 409, "64 capital letters"), ("CART\"", 409, "64 capital letters"),
            (String(repeating: "A", count: 65), 409, "64 capital letters"),
            ("CART_EMPTY", 200, "has the status 200"),
            ("CART_EMPTY", 304, "has the status 304"),
        ])
    func malformed(code: String, status: Int, fault: String) throws {
        let status = try #require(HTTPStatus(code: status))
        bench.gateway.get("/handler") { _ in throw GatewayError(code: code, status: status, message: "No") }
        bench.gateway.get("/part") { _ in
            .parts(
                a: Single<Int>.error(GatewayError(code: code, status: status, message: "No")).optional(), b: 1
            )
        }
        let reply = try bench.answer(.get, "/handler")
        #expect(reply.status == 500)
        #expect(reply["/code"] == #""INTERNAL""#)
        #expect(bench.incidents.map { "\($0.error)" }.contains { $0.contains(fault) }, "\(bench.incidents)")
        let part = try bench.answer(.get, "/part")
        #expect(part.status == 200)
        #expect(part["/errors/0/reason"] == #""proxy_internal_error""#)
        #expect(bench.incidents.count == 2)
    }

    @Test("A thrown error is the answer, with its code, status, message and details, byte for byte")
    func thrown() throws {
        bench.gateway.get("/cart") { _ in throw Self.empty }
        let reply = try bench.answer(.get, "/cart", fields: [.xRequestID: "r-1"])
        #expect(reply.status == 409)
        #expect(
            reply.body
                == #"{"code":"CART_EMPTY","message":"The cart is empty","status":409,"data":null,"#
                + #""details":{"cart":12,"items":[]},"#
                + #""meta":{"requestId":"r-1","complete":false,"elapsedMs":0.0}}"#)
        #expect(bench.incidents.isEmpty)
    }

    @Test("A problem has the code in its type, the code's title, and the details")
    func problem() throws {
        bench.gateway.get("/own") { _ in throw Self.empty }
        bench.gateway.get("/declared") { _ in throw GatewayError(.cartEmpty, "The cart is empty") }
        let accept: HTTPFields = [.accept: "application/problem+json", .xRequestID: "r-1"]
        #expect(
            try bench.answer(.get, "/own", fields: accept).body
                == #"{"type":"urn:sluice:problem:cart-empty","title":"Cart empty","status":409,"#
                + #""detail":"The cart is empty","instance":"urn:sluice:request:r-1","details":{"cart":12,"items":[]}}"#
        )
        #expect(
            try bench.answer(.get, "/declared", fields: accept)["/title"] == #""Nothing is in the cart""#)
    }

    @Test("The error of a required part decides the answer")
    func requiredPart() throws {
        bench.gateway.get("/cart") { _ in .parts(cart: Single<Int>.error(Self.empty), other: 1) }
        let reply = try bench.answer(.get, "/cart")
        #expect(reply.status == 409)
        #expect(reply["/code"] == #""CART_EMPTY""#)
        #expect(reply["/message"] == #""The cart is empty""#)
        #expect(reply["/details"] == #"{"cart":12,"items":[]}"#)
    }

    @Test("The error of an optional part is a member of errors, with its code and details, byte for byte")
    func optionalPart() throws {
        bench.gateway.get("/cart") { _ in
            .parts(
                cart: Single<Int>.error(Self.empty).optional(),
                plain: Single<Int>.error(GatewayError.conflict("No")).optional())
        }
        let reply = try bench.answer(.get, "/cart")
        #expect(reply.status == 200)
        #expect(
            reply["/errors"]
                == #"[{"part":"cart","kind":"requestErr","reason":"upstream_status","code":"CART_EMPTY","status":409,"#
                + #""message":"The cart is empty","details":{"cart":12,"items":[]},"attempts":0,"elapsedMs":0,"#
                + #""retryable":false},"#
                + #"{"part":"plain","kind":"requestErr","reason":"upstream_status","status":409,"message":"No","#
                + #""attempts":0,"elapsedMs":0,"retryable":false}]"#)
        #expect(reply.json("details") == nil)
    }

    @Test("A model of the request's body, and of an upstream's response, may throw it")
    func models() throws {
        bench.gateway.post("/cart") { request in .json(try request.json(as: Cart.self).items) }
        bench.gateway.get("/cart") { [diary = bench.diary] _ in
            .parts(cart: diary.rx.request(.recent).map(Cart.self).map(\.items))
        }
        bench.upstream("/recent", .data("[]"))
        for reply in [
            try bench.answer(.post, "/cart", fields: [.contentType: "application/json"], body: "[]"),
            try bench.answer(.get, "/cart"),
        ] {
            #expect(reply.status == 409)
            #expect(reply["/code"] == #""CART_EMPTY""#)
            #expect(reply["/details"] == #"{"items":0}"#)
        }
        #expect(try bench.answer(.get, "/cart")["/errors/0/attempts"] == "1")
        #expect(bench.incidents.isEmpty)
        bench.upstream("/recent", .data(#""x""#))
        #expect(try bench.answer(.get, "/cart")["/errors/0/reason"] == #""decode_error""#)
    }
}

extension Reply {
    fileprivate func json(_ member: String) -> JSONFragment? { try? json()[member: member] }
}
