import Dispatch
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

private enum Zen: TargetType {
    case zen, down, gone

    var baseURL: String { "http://zen.test" }
    var path: RequestPath { "/zen" }
    var validation: ValidationType { self == .gone ? .successCodes : .none }

    var sampleResponse: SampleResponse {
        switch self {
        case .zen: .json(#"{"text":"Half measures are as bad as nothing at all."}"#)
        case .down: .networkError(.connectionRefused)
        case .gone: .response(410)
        }
    }
}

@Suite("Stubbing", .noLeaks)
struct StubbingTests {
    private let time = VirtualTime()
    private let transport: StubTransport

    init() {
        transport = StubTransport(scheduler: time)
        transport.answer(.json(#"{"text":"from the wire"}"#))
    }

    private func provider(
        _ stub: Provider<Zen>.StubClosure?, plugins: [any PluginType] = []
    ) -> Provider<Zen> {
        Provider(transport: transport, plugins: plugins, stub: stub)
    }

    @Test("A stubbed failure is retried and validated like a real one")
    func errors() throws {
        let recorder = ErrorRecorder()
        let provider = provider(Provider<Zen>.immediatelyStub, plugins: [recorder])
        let probe = Probe(provider.rx.request(.down))
        time.advance(by: .seconds(1))
        #expect(probe.networkError?.reason == .connectionRefused)
        #expect(try #require(probe.networkError).attempts > 1)
        #expect(Probe(provider.rx.request(.gone)).networkError?.statusCode == 410)
        #expect(recorder.reasons == [.connectionRefused: 1, .upstreamStatus: 1])
        #expect(transport.attempts.isEmpty)
    }

    @Test("A call with an immediate stub delivers its sample on subscription")
    func immediate() throws {
        let call = provider(Provider<Zen>.immediatelyStub).rx.request(.zen)
        #expect(
            Probe(call.mapString(atKeyPath: "text")).value == "Half measures are as bad as nothing at all.")
        #expect(transport.attempts.isEmpty)
    }

    @Test("A delayed stub uses the transport's clock or its own scheduler, within the call's time limit")
    func delayed() throws {
        let provider = provider(Provider<Zen>.delayedStub(.seconds(2)))
        let probe = Probe(provider.rx.request(.zen))
        time.advance(by: .milliseconds(1_999))
        #expect(probe.isPending)
        time.advance(by: .milliseconds(1))
        #expect(probe.value?.statusCode == 200)

        let other = VirtualTime()
        let own = Probe(
            self.provider(Provider<Zen>.delayedStub(.seconds(2), scheduler: other)).rx.request(.zen))
        time.advance(by: .seconds(5))
        #expect(own.isPending)
        other.advance(by: .seconds(2))
        #expect(own.value?.statusCode == 200)

        let late = Probe(self.provider(Provider<Zen>.delayedStub(.seconds(60))).rx.request(.zen))
        time.advance(by: .seconds(60))
        #expect(late.networkError?.reason == .responseTimeout)
    }

    @Test("A stub closure may choose which targets are stubbed")
    func mixed() throws {
        let provider = provider { $0 == .zen ? .never : .immediate }
        #expect(Probe(provider.rx.request(.zen).mapString(atKeyPath: "text")).value == "from the wire")
        #expect(Probe(provider.rx.request(.gone)).networkError?.statusCode == 410)
        #expect(transport.attempts.count == 1)
    }

    @Test("Disposing a call cancels its sample's timer")
    func disposal() {
        provider(Provider<Zen>.delayedStub(.seconds(2))).rx.request(.zen).subscribe().dispose()
        #expect(time.pending == 0)
    }
}
