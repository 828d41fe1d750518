import Dispatch
import EndpointPlans
import GatewayCore
import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("A required part whose circuit is open", .noLeaks)
struct OpenCircuitTests {
    /// A transport that takes the circuit of the upstream `shop` for open, whatever the stub answers.
    private final class OpenCircuit: Transport {
        let stub: StubTransport

        init(_ stub: StubTransport) { self.stub = stub }

        func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
            -> any Disposable
        {
            stub.send(call, within: limit, for: receiver)
        }

        var scheduler: any SchedulerType { stub.scheduler }
        func beginRetry(to upstream: Upstream) -> RetryObstacle? { stub.beginRetry(to: upstream) }
        func endRetry(to upstream: Upstream) { stub.endRetry(to: upstream) }
        var hasOpenCircuits: Bool { true }
        func isCircuitOpen(of upstream: Upstream, for endpoint: Int) -> Bool {
            upstream.name == "shop" && endpoint == 1
        }
    }

    private let time = VirtualTime()
    private let stub: StubTransport
    private let gateway: Gateway
    private let diary: Provider<DiaryAPI>
    private let shop: Provider<DiaryAPI>

    init() {
        stub = StubTransport(scheduler: time)
        gateway = Gateway(GatewayEnvironment(transport: OpenCircuit(stub)))
        var policy = CallPolicy()
        policy.retry = .never
        diary = gateway.provider(DiaryAPI.self, upstream: "diary", policy: policy)
        shop = gateway.provider(DiaryAPI.self, upstream: "shop", policy: policy)
        stub.answer("/food-diary/recent", .data("1"))
        stub.answer("/food-diary/today", .data("2", after: .seconds(1)))
        stub.answer("/food-diary/total", .failure(.circuitOpen))
    }

    private func reply() throws -> Reply {
        let head = HTTPRequestHead(method: .get, target: try #require(RequestTarget("/page")))
        let pending = Pending(try gateway.responder().respond(to: ReceivedRequest(head: head)))
        time.advance(by: .seconds(2))
        return try pending.reply()
    }

    private var paths: [String] { stub.attempts.map { $0.call.path.replacing("/food-diary", with: "") } }

    @Test("Nothing is sent for any other part, wherever it stands")
    func parts() throws {
        gateway.get("/page") { [diary, shop] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(), total: shop.rx.request(.total).fragment(),
                task: Part.task { try await diary.request(.today).fragment() })
        }
        let reply = try reply()
        #expect(reply.status == 503)
        #expect(paths == ["/total"])
        #expect(
            reply["/meta/parts"] == #"{"recent":"cancelled","total":"networkFail","task":"cancelled"}"#)
        #expect(reply["/errors/0/reason"] == #""circuit_open""#)
        #expect(reply["/errors/1"] == nil)
    }

    @Test("Steps that would start with it are not sent")
    func steps() throws {
        gateway.get("/page") { [diary, shop] _ in
            .first(
                recent: diary.rx.request(.recent).fragment(), total: shop.rx.request(.total).fragment()
            ).then { .parts(today: diary.rx.request(.today).fragment()) }
        }
        #expect(try reply()["/meta/parts"] == #"{"recent":"cancelled","total":"networkFail"}"#)
        #expect(paths == ["/total"])
    }

    @Test("If it is let through after all, the other parts are sent, and it decides as others do")
    func letThrough() throws {
        gateway.get("/page") { [diary, shop] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(), total: shop.rx.request(.total).fragment(),
                today: diary.rx.request(.today).fragment())
        }
        stub.answer("/food-diary/total", .data("3", after: .milliseconds(1)))
        #expect(try reply()["/data"] == #"{"recent":1,"total":3,"today":2}"#)
        #expect(paths == ["/total", "/recent", "/today"])
    }

    @Test("If its failure does not decide the answer, all parts are sent", arguments: [true, false])
    func optional(isOptional: Bool) throws {
        gateway.get("/page", .onFailure(isOptional ? .stop : .wait)) { [diary, shop] _ in
            let total = shop.rx.request(.total).fragment().asPart()
            return .parts(
                recent: diary.rx.request(.recent).fragment(), total: isOptional ? total.optional() : total)
        }
        #expect(try reply()["/meta/parts"] == #"{"recent":"success","total":"networkFail"}"#)
        #expect(Set(paths) == ["/recent", "/total"])
    }

    private func planned(_ name: String, _ upstream: String, _ policy: PlannedPart.Policy = .required)
        -> PlannedPart
    {
        PlannedPart(name, .call(PlannedCall(Located(upstream), .get, Located(text("/\(name)")))), policy)
    }

    private func page(_ parts: [PlannedPart]) throws {
        var calls = CallPolicy()
        calls.retry = .never
        var upstreams: [String: PlannedUpstream] = [:]
        for name in ["diary", "shop"] {
            upstreams[name] = gateway.plannedUpstream(
                name, "http://diary.test:9001/food-diary", policy: calls, envelope: .genericResponse)
        }
        gateway.add(try EndpointPlan(PlannedEndpoint(.get, "/page", parts: parts), upstreams))
    }

    @Test("In a file, nothing is sent for parts and groups; parts that read it fail with it")
    func plan() throws {
        var reader = planned("today", "diary")
        reader.condition = PlannedCondition(reference("parts.total.id"))
        try page([
            planned("recent", "diary"), reader,
            PlannedPart("g", .group(PlannedGroup([planned("month", "diary")]))), planned("total", "shop"),
        ])
        let reply = try reply()
        #expect(
            reply["/meta/parts"]
                == #"{"recent":"cancelled","today":"networkFail","g.month":"cancelled","total":"networkFail"}"#
        )
        #expect(paths == ["/total"])
    }

    @Test(
        "In a group, its failure decides only if the group needs it",
        arguments: [(PlannedPart.Policy.required, 1, 3), (.required, 2, 1), (.optional, 2, 3)])
    func groups(policy: PlannedPart.Policy, atLeast: Int, sent: Int) throws {
        let members = [planned("recent", "diary"), planned("total", "shop")]
        try page([
            PlannedPart("g", .group(PlannedGroup(members, atLeast: atLeast)), policy),
            planned("today", "diary"),
        ])
        #expect(try reply().status == (sent == 1 ? 503 : 200))
        #expect(paths.count == sent)
    }
}
