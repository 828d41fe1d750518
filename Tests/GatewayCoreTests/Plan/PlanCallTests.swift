import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Planned calls", .noLeaks)
struct PlanCallTests {
    private let bench = Bench()

    @Test("A part that fails fails the answer unless it is optional or has a fallback, as in Swift")
    func policies() throws {
        for (path, policy) in [("/required", PlannedPart.Policy.required), ("/optional", .optional)] {
            try bench.page(path, [bench.part("a", "/a", policy), bench.part("b", "/b", .fallback([1]))])
        }
        bench.upstream("/a", .response(404))
        bench.upstream("/b", .failure(.connectionRefused))
        let required = try bench.answer(.get, "/required")
        #expect(required.status == 404)
        #expect(required.message == "a was not found")
        let optional = try bench.answer(.get, "/optional")
        #expect(optional["/code"] == #""PARTIAL""#)
        #expect(optional["/data"] == #"{"a":null,"b":[1]}"#)
        #expect(optional["/meta/parts"] == #"{"a":"requestErr","b":"networkFail"}"#)
    }

    @Test(
        "A value that is not picked or not of the expected kind fails the part",
        arguments: [("{}", "missing_data"), (#"{"user":7}"#, "decode_error"), (#"{"user":{"id":7}}"#, nil)])
    func picks(data: String, reason: String?) throws {
        try bench.page([
            bench.part("user", "/user") {
                $0.pick = "/user"
                $0.expected = .object
            }
        ])
        bench.upstream("/user", .data(data))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == (reason == nil ? 200 : 502))
        #expect(reply["/errors/0/reason"] == reason.map { "\"\($0)\"" })
        #expect(reply["/errors/0/attempts"] == (reason == nil ? nil : "1"))
        if reason == nil { #expect(reply["/data"] == #"{"user":{"id":7}}"#) }
    }

    @Test("Members are kept, then dropped, then renamed, in an array of each element")
    func shapes() throws {
        try bench.page([
            bench.part("list", "/list").shaped {
                $0.kept = ["id", "owner"]
                $0.dropped = ["owner.secret"]
                $0.renamed = [("id", "key"), ("owner.name", "title")]
            }
        ])
        bench.upstream("/list", .data(#"[{"id":1,"owner":{"name":"a","secret":"s"},"x":0}, {"id": 2}]"#))
        #expect(
            try bench.answer(.get, "/page")["/data/list"] == #"[{"key":1,"owner":{"title":"a"}},{"key":2}]"#)
        bench.upstream("/list", .data("7"))
        #expect(try bench.answer(.get, "/page")["/errors/0/reason"] == #""decode_error""#)
    }

    @Test("Rule 1: a value that is one reference keeps its type and bytes; within text, scalars become text")
    func types() throws {
        try bench.page(
            [
                bench.part("a", "/a") {
                    $0.method = .post
                    $0.body = .object([
                        ("n", value("{query.n}")), ("s", value("{query.s}")), ("f", value("{query.f}")),
                        ("t", value("n={query.n} f={query.f}")), ("none", value("{query.none}")),
                        ("list", .array([value("{query.s}"), .constant(.null)])),
                    ])
                }
            ]
        ) {
            $0.parameters = [
                ParameterRule(.query, "n", ValueRule(.number)), ParameterRule(.query, "s"),
                ParameterRule(.query, "f", ValueRule(.boolean)),
                ParameterRule(.query, "none", isRequired: false),
            ]
        }
        bench.upstream("/a", .data("1"))
        #expect(try bench.answer(.get, "/page?n=1.50&s=%22x&f=true").status == 200)
        guard case .bytes(let sent)? = bench.transport.attempts.first?.call.body else {
            Issue.record("no body was sent")
            return
        }
        #expect(
            String(decoding: sent, as: UTF8.self)
                == #"{"n":1.50,"s":"\"x","f":true,"t":"n=1.50 f=true","none":null,"list":["\"x",null]}"#)
    }

    @Test("Rule 2: in a query an absent value drops its pair, and an array repeats it")
    func query() throws {
        try bench.page([
            bench.part("list", "/list"),
            bench.part("a", "/a?fixed=1") {
                $0.query = [
                    ("id", value("{parts.list.ids}")), ("none", value("{parts.list.none}")),
                    ("text", value("x{parts.list.none}")), ("null", value("{parts.list.null}")),
                    ("tag", .constant(JSONLiteral(["a b", "c"]).fragment)),
                    ("n", value("{parts.list.ids[0]}")),
                ]
            },
        ])
        bench.upstream("/list", .data(#"{"ids":[1,"b&c",null],"null":null}"#))
        bench.upstream("/a", .data("1"))
        #expect(try bench.answer(.get, "/page").status == 200)
        #expect(bench.targets.last == "/a?fixed=1&id=1&id=b%26c&tag=a%20b&tag=c&n=1")
    }

    @Test(
        "Rule 1 and 2: a part's value that its place cannot have fails the reader with decode_error",
        arguments: [#"{"v":{"a":1}}"#, #"{"v":[1]}"#, #"{"v":null}"#, #"{"v":"a/b"}"#, #"{"v":".."}"#])
    func unusable(data: String) throws {
        try bench.page([bench.part("a", "/a"), bench.part("b", "/b/{parts.a.v}")])
        bench.upstream("/a", .data(data))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 502)
        #expect(reply["/errors/0/part"] == #""b""#)
        #expect(reply["/errors/0/reason"] == #""decode_error""#)
        #expect(reply["/errors/0/attempts"] == "0")
        #expect(bench.targets == ["/a"])
    }

    @Test(
        "A value of more than 8192 bytes is sent in no path, query or field, and answered in none",
        arguments: 0..<3)
    func tooLong(place: Int) throws {
        try bench.page(
            [
                bench.part("a", "/a"),
                bench.part("b", place == 0 ? "/b/{parts.a}" : "/b", .optional) {
                    if place == 1 { $0.query = [("v", value("{parts.a}"))] }
                    if place == 2 { $0.headers = plannedFields(("X-V", text("{parts.a}"))) }
                },
            ]
        ) { $0.answer.fields = plannedFields(("X-Long", text("{parts.a}"))) }
        bench.upstream("/a", .data("\"\(String(repeating: "x", count: 8193))\""))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/errors/0/part"] == #""b""#)
        #expect(reply["/errors/0/reason"] == #""decode_error""#)
        #expect(reply["/errors/0/attempts"] == "0")
        #expect(reply["/errors/0/message"]?.description.contains("has more than 8192 bytes") == true)
        #expect(reply.fields["X-Long"] == nil)
        #expect(bench.targets == ["/a"])
    }

    @Test("A call has the upstream's headers, and its own in place of those of the same name")
    func headers() throws {
        var call = PlannedCall("diary", .get, Located(text("/a")))
        call.headers = plannedFields(("X-Kind", text("new")), ("X-None", text("{header.X-None}")))
        var endpoint = PlannedEndpoint(.get, "/page", parts: [PlannedPart("a", .call(call))])
        endpoint.parameters = [ParameterRule(.header, "X-None")]
        let upstream = bench.planned(headers: ["X-Key": "k", "X-Kind": "old"])
        bench.gateway.add(try bench.plan(endpoint, upstream))
        bench.upstream("/a", .data("1"))
        #expect(try bench.answer(.get, "/page").status == 200)
        let fields = try #require(bench.transport.attempts.first).call.fields
        #expect(fields["X-Key"] == "k")
        #expect(fields.values(of: "X-Kind") == ["new"])
        #expect(!fields.contains("X-None"))
    }

    @Test("A call's own timeout and attempts take the place of the upstream's")
    func limits() throws {
        try bench.page([
            bench.part("a", "/a", .optional) { $0.timeout = 1_000_000_000 },
            bench.part("b", "/b", .optional) { $0.attempts = 2 },
        ])
        bench.upstream("/a", .silence)
        bench.upstream("/b", .response(503))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(2))
        let reply = try pending.reply()
        #expect(reply["/errors/0/reason"] == #""http_response_timeout""#)
        #expect(reply["/errors/0/elapsedMs"] == "1000")
        #expect(reply["/errors/1/attempts"] == "2")
    }

    @Test(
        "A part is made only if its condition holds",
        arguments: [
            ("", "", false), ("", "!", true), ("?x=true", "", true), ("?x=true", "!", false),
            ("?x=false", "", false), ("?x=false", "!", true),
        ])
    func conditions(query: String, mark: String, isMade: Bool) throws {
        try bench.page([bench.part("a", "/a").when("\(mark)query.x"), bench.part("b", "/b")]) {
            $0.parameters = [ParameterRule(.query, "x", ValueRule(.boolean), isRequired: false)]
        }
        bench.transport.answer(.data("1"))
        let reply = try bench.answer(.get, "/page\(query)")
        #expect(reply["/meta/parts/a"] == (isMade ? #""success""# : #""noContent""#))
        #expect(reply["/data/a"] == (isMade ? "1" : "null"))
        #expect(reply["/meta/complete"] == "true")
        #expect(bench.targets == (isMade ? ["/a", "/b"] : ["/b"]))
    }

    @Test("A composed value makes no call")
    func composed() throws {
        try bench.page([
            PlannedPart("kind", .value(.constant(JSONFragment(string: "page")))),
            PlannedPart(
                "twice", .value(.object([("id", value("{parts.a.id}")), ("x", value("{query.x}"))]))),
            bench.part("a", "/a"),
        ]) { $0.parameters = [ParameterRule(.query, "x")] }
        bench.upstream("/a", .data(#"{"id":1.0}"#))
        let reply = try bench.answer(.get, "/page?x=1")
        #expect(reply["/data"] == #"{"kind":"page","twice":{"id":1.0,"x":"1"},"a":{"id":1.0}}"#)
        #expect(bench.transport.attempts.count == 1)
    }

    @Test("Parts that read no others are single calls: the log knows them without a record")
    func plain() throws {
        try bench.page([bench.part("recent", "/recent"), bench.part("total", "/total")])
        bench.transport.answer(.data("1", after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        let reply = try pending.reply()
        #expect(reply.summary.parts.map(\.calls.count) == [1, 1])
        #expect(reply.summary.takeLog().isEmpty)
    }
}
