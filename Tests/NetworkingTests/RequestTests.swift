import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

@Suite("A call")
struct RequestTests {
    @Test("Nothing is sent before subscription, and each subscription sends anew")
    func nothingIsSentBeforeSubscription() throws {
        let bench = try Bench()
        bench.transport.answer(.json(#"{"status":200,"data":{"a":1}}"#))
        let single = bench.provider.rx.request(.weights("2026-11-20", keyword: "recent"))
        #expect(bench.transport.attempts.isEmpty)
        let first = Probe(single)
        let second = Probe(single)
        #expect(bench.transport.attempts.count == 2)
        #expect(first.value?.statusCode == 200)
        #expect(second.value?.statusCode == 200)
    }

    @Test("The data of a GenericResponse comes as the bytes it had")
    func fragment() throws {
        let bench = try Bench()
        bench.transport.answer(.json(#"{"code":"OK","status":200,"data":{"a": 1.0e1}}"#))
        let probe = Probe(bench.provider.rx.request(.weights("2026-11-20", keyword: "recent")).fragment())
        #expect(probe.value?.description == #"{"a": 1.0e1}"#)
        let call = try #require(bench.transport.attempts.first).call
        #expect(
            String(decoding: call.target, as: UTF8.self)
                == "/food-diary/weights?fddDate=2026-11-20&keyword=recent")
    }
}
