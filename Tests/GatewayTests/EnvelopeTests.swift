import Gateway
import HTTPModel
import Networking
import Rx
import Testing

@Suite("The envelope of an answer")
struct EnvelopeTests {
    private func charts(_ bench: Bench) {
        bench.gateway.get("/charts") { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(),
                total: diary.rx.request(.total).fragment())
        }
    }

    @Test("A success is exactly the contract's bytes, keys in its order")
    func success() throws {
        let bench = Bench()
        charts(bench)
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
        #expect(reply.fields[.cacheControl] == nil)
        #expect(reply.fields[.proxyStatus] == nil)
    }
}
