import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("The envelope of an answer", .noLeaks)
struct EnvelopeTests {
    private let bench = Bench()

    init() {
        bench.gateway.get("/charts") { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(),
                total: diary.rx.request(.total).fragment())
        }
        bench.gateway.get("/tolerant") { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(),
                total: diary.rx.request(.total).fragment().optional(),
                today: diary.rx.request(.today).fragment().fallback(["none"]))
        }
    }

    @Test("A failure has its own status, null data, errors and meta, byte for byte")
    func failure() throws {
        bench.upstream("/recent", .silence)
        bench.upstream("/total", .data("{}"))
        let pending = try bench.ask(.get, "/charts", fields: [.xRequestID: "r-1"])
        bench.time.advance(by: .milliseconds(4999))
        #expect(pending.count == 0)
        bench.time.advance(by: .milliseconds(1))
        let reply = try pending.reply()
        #expect(reply.status == 504)
        #expect(
            reply.body
                == #"{"code":"UPSTREAM_TIMEOUT","message":"recent did not answer in time","status":504,"#
                + #""data":null,"errors":[{"part":"recent","kind":"networkFail","#
                + #""reason":"connection_read_timeout","status":null,"#
                + #""message":"no response within 5000 ms","attempts":1,"elapsedMs":5000,"retryable":true}],"#
                + #""meta":{"requestId":"r-1","complete":false,"elapsedMs":5000.0,"#
                + #""parts":{"recent":"networkFail","total":"success"}}}"#)
        #expect(reply.fields[.contentType] == "application/json; charset=utf-8")
        #expect(reply.fields[.cacheControl] == "no-store")
    }

    @Test("A partial answer is 200 PARTIAL with null or fallbacks for failed parts, errors and no-store")
    func partial() throws {
        bench.upstream("/recent", .data("[1]"))
        bench.upstream("/total", .response(500))
        bench.upstream("/today", .failure(.connectionRefused))
        let reply = try bench.answer(.get, "/tolerant", fields: [.xRequestID: "r-2"])
        #expect(reply.status == 200)
        #expect(
            reply.body == #"{"code":"PARTIAL","message":"Some parts failed","status":200,"#
                + #""data":{"recent":[1],"total":null,"today":["none"]},"#
                + #""errors":[{"part":"total","kind":"serverErr","reason":"upstream_status","status":500,"#
                + #""message":"the upstream answered with status 500","attempts":1,"elapsedMs":0,"retryable":false},"#
                + #"{"part":"today","kind":"networkFail","reason":"connection_refused","status":null,"#
                + #""message":"the connection was refused","attempts":1,"elapsedMs":0,"retryable":true}],"#
                + #""meta":{"requestId":"r-2","complete":false,"elapsedMs":0.0,"#
                + #""parts":{"recent":"success","total":"serverErr","today":"networkFail"}}}"#)
        #expect(reply.fields[.cacheControl] == "no-store")
    }

    @Test("A success has its keys in order, its parts unchanged and no errors, byte for byte")
    func success() throws {
        bench.upstream("/recent", .data(#"{"points":[1, 2.50]}"#))
        bench.upstream("/total", .data(#"{"unit":"kg"}"#))
        let reply = try bench.answer(.get, "/charts", fields: [.xRequestID: "r-1"])
        #expect(reply.status == 200)
        #expect(
            reply.body == #"{"code":"OK","message":"success","status":200,"#
                + #""data":{"recent":{"points":[1, 2.50]},"total":{"unit":"kg"}},"#
                + #""meta":{"requestId":"r-1","complete":true,"elapsedMs":0.0,"#
                + #""parts":{"recent":"success","total":"success"}}}"#)
        #expect(reply.fields[.contentType] == "application/json; charset=utf-8")
        #expect(reply.fields[.proxyStatus] == nil)
    }

    @Test("An upstream's 204 is a success: the part is null, its kind noContent, the code OK")
    func noContent() throws {
        bench.upstream("/recent", .response(204))
        bench.upstream("/total", .response(205))
        let reply = try bench.answer(.get, "/charts")
        #expect(reply.status == 200)
        #expect(reply["/code"] == #""OK""#)
        #expect(reply["/data"] == #"{"recent":null,"total":null}"#)
        #expect(reply["/meta/parts"] == #"{"recent":"noContent","total":"noContent"}"#)
        #expect(reply["/meta/complete"] == "true")
        #expect(reply["/errors"] == nil)
    }

    @Test("meta.parts is in the order of the plan, whichever part ends first")
    func planOrder() throws {
        bench.upstream("/recent", .data("1", after: .milliseconds(30)))
        bench.upstream("/total", .data("2", after: .milliseconds(20)))
        bench.upstream("/today", .data("3", after: .milliseconds(10)))
        let pending = try bench.ask(.get, "/tolerant")
        bench.time.advance(by: .milliseconds(29))
        #expect(pending.count == 0)
        bench.time.advance(by: .milliseconds(1))
        let reply = try pending.reply()
        #expect(reply["/data"] == #"{"recent":1,"total":2,"today":3}"#)
        #expect(reply["/meta/parts"] == #"{"recent":"success","total":"success","today":"success"}"#)
        #expect(reply["/meta/elapsedMs"] == "30.0")
    }

    @Test("elapsedMs is rounded to one decimal place in meta and to an integer in errors")
    func elapsed() throws {
        bench.upstream("/recent", .failure(.connectionTerminated, after: .microseconds(12_360)))
        bench.upstream("/total", .data("2"))
        let pending = try bench.ask(.get, "/charts")
        bench.time.advance(by: .milliseconds(13))
        let reply = try pending.reply()
        #expect(reply["/meta/elapsedMs"] == "12.4")
        #expect(reply["/errors/0/elapsedMs"] == "12")
    }

    @Test("meta.parts is absent without parts")
    func noParts() throws {
        bench.gateway.get("/value") { _ in .json(["a": 1]) }
        bench.gateway.get("/fragment") { _ in
            .fragment(try JSONFragment(validating: Array("[1,  2]".utf8)[...]))
        }
        bench.gateway.get("/empty") { _ in .parts() }
        let value = try bench.answer(.get, "/value", fields: [.xRequestID: "r"])
        #expect(
            value.body == #"{"code":"OK","message":"success","status":200,"data":{"a":1},"#
                + #""meta":{"requestId":"r","complete":true,"elapsedMs":0.0}}"#)
        #expect(try bench.answer(.get, "/fragment")["/data"] == "[1,  2]")
        let empty = try bench.answer(.get, "/empty")
        #expect(empty["/data"] == "{}")
        #expect(empty["/meta/parts"] == nil)
    }

    @Test("Part names and messages are escaped in JSON and in Proxy-Status")
    func escaping() throws {
        bench.gateway.get("/odd") { [diary = bench.diary] _ in
            .parts(체중: diary.rx.request(.recent).fragment())
        }
        bench.gateway.get("/bad") { _ in throw GatewayError.notFound("no \"quotes\"\n\\ here") }
        bench.upstream("/recent", .response(500))
        let odd = try bench.answer(.get, "/odd")
        #expect(odd["/errors/0/part"] == #""체중""#)
        #expect(odd.fields[.proxyStatus] == #"sluice; received-status=500; details="%EC%B2%B4%EC%A4%91""#)
        #expect(try bench.answer(.get, "/bad").message == "no \"quotes\"\n\\ here")
    }

    @Test("A large part is sent as the slice that was received; a small answer is sent as one block")
    func largeParts() throws {
        let large = "[" + String(repeating: "1,", count: 20_000) + "1]"
        bench.upstream("/recent", .data(large))
        bench.upstream("/total", .data("{}"))
        let reply = try bench.answer(.get, "/charts")
        #expect(reply.response.response.body.count == 3)
        #expect(reply["/data/recent"] == large)
        #expect(reply["/data/total"] == "{}")
        bench.upstream("/recent", .data("[1]"))
        #expect(try bench.answer(.get, "/charts").response.response.body.count == 1)
    }

    @Test("A merged answer at the limit is sent; a larger one becomes 502")
    func answerLimit() throws {
        var limits = GatewayLimits()
        limits.answer = 10
        let bench = Bench(limits: limits)
        bench.gateway.get("/charts") { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(),
                total: diary.rx.request(.total).fragment().optional())
        }
        bench.gateway.get("/value") { _ in .json("0123456789") }
        bench.upstream("/recent", .data("[1,2,3]"))
        bench.upstream("/total", .data("[1234]"))
        let reply = try bench.answer(.get, "/charts")
        #expect(reply.status == 502)
        #expect(reply["/code"] == #""BAD_GATEWAY""#)
        #expect(reply["/message"] == #""The merged answer exceeds 10 bytes""#)
        #expect(reply["/data"] == "null")
        #expect(reply["/errors"] == nil)
        #expect(try bench.answer(.get, "/value").status == 502)
        bench.upstream("/total", .data("[1]"))
        #expect(try bench.answer(.get, "/charts").status == 200)
        #expect(GatewayLimits().answer == 16 * 1024 * 1024)
    }

    @Test("A handler may set status and fields, but not the gateway's own fields")
    func statusAndFields() throws {
        bench.gateway.post("/made") { _ in
            .json(1).status(.created).field(.location, "/made/1").field(.contentType, "text/plain")
                .field(.xRequestID, "other").field(.contentLength, "7")
        }
        bench.gateway.delete("/made") { _ in .status(.noContent) }
        bench.gateway.get("/gone") { _ in .status(.gone) }
        let made = try bench.answer(.post, "/made", fields: [.xRequestID: "r"])
        #expect(made.status == 201)
        #expect(made["/status"] == "201")
        #expect(made.fields[.location] == "/made/1")
        #expect(made.fields.values(of: .contentType) == ["application/json; charset=utf-8"])
        #expect(made.fields.values(of: .xRequestID) == ["r"])
        #expect(!made.fields.contains(.contentLength))
        let deleted = try bench.answer(.delete, "/made")
        #expect(deleted.status == 204)
        #expect(deleted.body.isEmpty)
        #expect(!deleted.fields.contains(.contentType))
        let gone = try bench.answer(.get, "/gone")
        #expect(gone.status == 410)
        #expect(gone["/code"] == #""GONE""#)
    }
}
