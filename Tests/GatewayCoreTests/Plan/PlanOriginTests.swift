import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Values that their place cannot have, by origin", .noLeaks)
struct PlanOriginTests {
    private let bench = Bench()

    private func post(_ body: String, _ target: String = "/page") throws -> Reply {
        let pending = try bench.ask(.post, target, fields: [.contentType: "application/json"], body: body)
        // Many elements are served in several turns.
        bench.time.advance(by: .milliseconds(1))
        return try pending.reply()
    }

    private func page(_ parts: [PlannedPart], _ change: (inout PlannedEndpoint) -> Void = { _ in }) throws {
        bench.transport.answer(.data(#"{"name":"a/b","list":["a/b"]}"#))
        try bench.page(parts) { endpoint in
            endpoint.method = .post
            endpoint.body = Schema()
            endpoint.parameters = [ParameterRule(.query, "a", isRequired: false)]
            change(&endpoint)
        }
    }

    private func each(
        _ path: String, of list: String, _ failure: PlannedItems.Failure = .null
    ) -> PlannedPart {
        bench.part("cards", path) { call in
            var items = PlannedItems(reference(list))
            items.limit = 3
            items.failure = failure
            call.items = items
        }
    }

    private static let segmentRule =
        "cannot be in a path: it is empty or a dot segment, or has a slash, a backslash or a control character"

    @Test(
        "A list of the client whose elements cannot be requested is 400 with the reason, and nothing is sent",
        arguments: [
            (#"{"users":["a/b"]}"#, "decode_error", "item \(segmentRule)"),
            (#"{"users":[".."]}"#, "decode_error", "item \(segmentRule)"),
            (#"{"users":[{}]}"#, "decode_error", "item is neither text nor a number nor a Boolean"),
            (#"{"users":[null]}"#, "missing_data", "item is missing"),
        ])
    func clientElement(body: String, reason: String, message: String) throws {
        try page([each("/{item}", of: "body.users")])
        let reply = try post(body)
        #expect(reply.status == 400)
        #expect(reply["/code"] == #""INVALID_REQUEST""#)
        #expect(
            reply.message
                == "cards was not requested: 0 of 1 elements succeeded; 1 must; element 0: \(message)")
        #expect(reply["/errors/0/reason"]?.description == "\"\(reason)\"")
        #expect(reply["/errors/0/attempts"] == "0")
        #expect(bench.targets.isEmpty)
    }

    @Test(
        "An element without the member in a path is 400, and one with itemFailure fail is named",
        arguments: [PlannedItems.Failure.null, .fail])
    func clientMember(failure: PlannedItems.Failure) throws {
        try page([each("/{item.id}", of: "body.users", failure)])
        let reply = try post(#"{"users":[{}]}"#)
        #expect(reply.status == 400)
        #expect(reply.message?.hasSuffix("element 0: item.id is missing") == true)
    }

    @Test(
        "A list of the client that is too long or of another type is 400",
        arguments: [
            ("[1,2,3,4]", "body.users has more than 3 elements"), (#""x""#, "body.users is not an array"),
        ])
    func clientList(list: String, message: String) throws {
        try page([each("/{item}", of: "body.users")])
        let reply = try post("{\"users\":\(list)}")
        #expect(reply.status == 400)
        #expect(reply.message == "cards was not requested: \(message)")
        #expect(bench.targets.isEmpty)
    }

    @Test("A list in a query is read only as far as the URL may be long")
    func longList() throws {
        try page([bench.part("cards", "/card") { $0.query = [("id", value("{body.ids}"))] }])
        let ids = Array(repeating: #""id""#, count: 3000).joined(separator: ",")
        let reply = try post("{\"ids\":[\(ids),{}]}")
        #expect(reply.status == 400)
        #expect(reply.message?.hasSuffix("the URL is longer than 8192 bytes") == true)
        #expect(bench.targets.isEmpty)
    }

    @Test("A list of nothing in a query is no longer than a URL")
    func emptyList() throws {
        try page([bench.part("cards", "/card") { $0.query = [("id", value("{body.ids}"))] }])
        func nulls(_ count: Int) -> String { Array(repeating: "null", count: count).joined(separator: ",") }
        #expect(try post("{\"ids\":[\(nulls(8192))]}").status == 200)
        let reply = try post("{\"ids\":[\(nulls(8193))]}")
        #expect(reply.status == 400)
        #expect(reply.message?.hasSuffix("body.ids has more than 8192 elements") == true)
        #expect(bench.targets == ["/card"])
    }

    @Test("A member that an element of the client lacks drops its pair of the query, as the body's do")
    func clientQuery() throws {
        try page([
            bench.part("cards", "/card") { call in
                call.query = [("id", value("{item.id}")), ("name", value("{item.name}"))]
                call.items = PlannedItems(reference("body.users"))
            }
        ])
        #expect(try post(#"{"users":[{"id":7}]}"#).status == 200)
        #expect(bench.targets == ["/card?id=7"])
    }

    @Test("A member that an element of the configuration lacks is a fault, and no null is sent for it")
    func constantBody() throws {
        let list = try JSONFragment(parsing: #"[{"id":7}]"#)
        try page([
            PlannedPart("l", .value(.constant(list))).hidden(),
            bench.part("cards", "/card") { call in
                call.method = .post
                call.body = .array([value("{item.id}"), value("{item.name}")])
                call.items = PlannedItems(reference("parts.l"))
            },
        ])
        let reply = try post("{}")
        #expect(reply.status == 502)
        #expect(reply["/errors/0/reason"]?.description == "\"missing_data\"")
        #expect(reply["/errors/0/attempts"] == "0")
        #expect(bench.targets.isEmpty)
    }

    @Test(
        "Values that parts compose of the client's stay the client's, text and constants around them included"
    )
    func composed() throws {
        let texts: [ValueTemplate<PlanReference>] = [value("x{query.a}"), value("{query.a}")]
        for (index, text) in texts.enumerated() {
            for (form, reference) in [
                (text, "parts.v"), (.object([("t", text)]), "parts.v.t"), (.array([text]), "parts.v[0]"),
                (.object([("other", value("{parts.call}")), ("t", text)]), "parts.v.t"),
            ] {
                let bench = Bench()
                bench.transport.answer(.data("1"))
                try bench.page(
                    "/page\(index)",
                    [
                        bench.part("call", "/call"),
                        PlannedPart("v", .value(form)).hidden(), bench.part("b", "/b/{\(reference)}"),
                    ]
                ) { $0.parameters = [ParameterRule(.query, "a", isRequired: false)] }
                let reply = try bench.answer(.get, "/page\(index)?a=y%2Fz")
                #expect(reply.status == 400)
                #expect(reply.message == "b was not requested: \(reference) \(Self.segmentRule)")
                #expect(bench.targets == ["/call"])
            }
        }
    }

    @Test("An element of a list that is composed of the client's values is the client's")
    func composedList() throws {
        try page([
            PlannedPart("l", .value(.array([value("{query.a}")]))).hidden(), each("/{item}", of: "parts.l"),
        ])
        #expect(try post("{}", "/page?a=y%2Fz").status == 400)
        #expect(bench.targets.isEmpty)
    }

    @Test("An object or a control character of the client in a query or a header is 400")
    func otherPlaces() throws {
        for place in 0..<4 {
            let bench = Bench()
            try bench.page([
                bench.part("b", "/b") {
                    if place == 0 { $0.query = [("o", value("{body.o}"))] }
                    if place == 1 { $0.query = [("o", value("x {body.o}"))] }
                    if place == 2 { $0.headers = plannedFields(("X-O", text("{body.o}"))) }
                    if place == 3 { $0.headers = plannedFields(("X-O", text("{body.t}"))) }
                }
            ]) {
                $0.method = .post
                $0.body = Schema()
            }
            let reply = try bench.answer(
                .post, "/page", fields: [.contentType: "application/json"],
                body: #"{"o":{"a":1},"t":"a\nb"}"#)
            #expect(reply.status == 400, "place \(place)")
            #expect(reply["/errors/0/reason"] == #""decode_error""#)
            #expect(bench.targets.isEmpty)
        }
    }

    @Test("A value of an upstream stays 502, alone and mixed with the client's, and no response is blamed")
    func upstream() throws {
        for reference in ["parts.up.name", "parts.mixed"] {
            let bench = Bench()
            bench.transport.answer(.data(#"{"name":"a/b"}"#))
            try bench.page([
                bench.part("up", "/up"),
                PlannedPart("mixed", .value(value("{query.a}{parts.up.name}"))).hidden(),
                bench.part("b", "/b/{\(reference)}"),
            ]) { $0.parameters = [ParameterRule(.query, "a")] }
            let reply = try bench.answer(.get, "/page?a=1")
            #expect(reply.status == 502)
            #expect(reply.message == "b was not requested: \(reference) \(Self.segmentRule)")
        }
        try page([bench.part("up", "/up"), each("/{item}", of: "parts.up.list")])
        #expect(try post("{}").status == 502)
    }

    // MARK: - The whole URL

    private enum Place: CaseIterable {
        case path, query, list, element, step
    }

    /// A page with a call whose URL has both values, each short enough.
    private func long(_ place: Place, _ bench: Bench, of source: String) throws {
        let (a, b) = ("\(source).a", "\(source).b")
        try bench.page([]) { endpoint in
            endpoint.method = .post
            endpoint.body = Schema()
            let up = bench.part(place == .step ? "v" : "up", "/up")
            var first = [up]
            var parts = source == "body" || place == .step ? [] : [up]
            switch place {
            case .path: parts.append(bench.part("p", "/p/{\(a)}/{\(b)}"))
            case .query:
                parts.append(
                    bench.part("p", "/p") { $0.query = [("a", value("{\(a)}")), ("b", value("{\(b)}"))] })
            case .list: parts.append(bench.part("p", "/p") { $0.query = [("l", value("{\(source).l}"))] })
            case .element:
                parts.append(
                    bench.part("p", "/p/{item}/{\(a)}/{\(b)}") {
                        $0.items = PlannedItems(reference("\(source).l"))
                    })
            case .step: first.append(bench.part("p", "/p/{\(a)}/{\(b)}"))
            }
            endpoint.first = place == .step ? first : []
            endpoint.parts = .named(parts + [PlannedPart("one", .value(value("{body.one}")))])
        }
    }

    private static var longValues: String {
        let (a, b) = (String(repeating: "x", count: 5000), String(repeating: "y", count: 5000))
        let list = (100..<200).map { "\"\(String(repeating: "z", count: 97))\($0)\"" }
        return "{\"a\":\"\(a)\",\"b\":\"\(b)\",\"l\":[\(list.joined(separator: ","))]}"
    }

    @Test(
        "Values that make a URL too long are the fault of the upstream, in every place",
        arguments: Place.allCases)
    private func longUpstream(place: Place) throws {
        bench.transport.answer(.data(Self.longValues))
        try long(place, bench, of: place == .step ? "first.v" : "parts.up")
        let reply = try post("{}")
        #expect(reply.status == 502)
        #expect(reply["/code"] == #""BAD_GATEWAY""#)
        #expect(reply["/errors/0/kind"] == #""pathErr""#)
        #expect(reply["/errors/0/reason"] == #""decode_error""#)
        #expect(bench.targets == ["/up"])
    }

    @Test(
        "Values that make a URL too long are the fault of the client, if it sent them",
        arguments: [Place.path, .query, .list, .element])
    private func longClient(place: Place) throws {
        try long(place, bench, of: "body")
        let reply = try post(Self.longValues)
        #expect(reply.status == 400)
        #expect(reply["/code"] == #""INVALID_REQUEST""#)
        #expect(reply["/errors/0/reason"] == #""decode_error""#)
        #expect(reply.message?.hasSuffix("the URL is longer than 8192 bytes") == true)
        #expect(bench.targets.isEmpty)
    }

    // MARK: - Several values in a segment

    @Test(
        "Values of one segment are refused if together they are an encoded slash or a dot segment",
        arguments: [
            ("/{body.a}{body.b}", "%2", "F"), ("/{body.a}2{body.b}", "%", "F"), ("/{body.a}2F", "%", ""),
            ("/x/{body.a}{body.b}/y", "%25", "5C"), ("/{body.a}{body.b}", "%0", "A"),
            ("/.{body.a}{body.b}", "%2", "E"), ("/{body.a}{body.b}", ".%2", "E"),
            ("/%2F{body.a}2F?q=1", "%", ""),
        ])
    func joined(path: String, first: String, second: String) throws {
        try page([bench.part("b", path)])
        let reply = try post(#"{"a":"\#(first)","b":"\#(second.isEmpty ? "x" : second)"}"#)
        #expect(reply.status == 400)
        #expect(reply["/errors/0/reason"] == #""decode_error""#)
        #expect(bench.targets.isEmpty)
    }

    @Test("Of an upstream, values that are refused together are 502")
    func joinedUpstream() throws {
        bench.transport.answer(.data(#"{"a":"%2","b":"F"}"#))
        try bench.page([bench.part("up", "/up"), bench.part("b", "/{parts.up.a}{parts.up.b}")])
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 502)
        #expect(
            reply.message
                == "b was not requested: values in one segment of the path are together a dot segment, a slash, "
                + "a backslash or a control character")
        #expect(bench.targets == ["/up"])
    }

    @Test(
        "Other values share a segment, and what the configuration itself encodes stands",
        arguments: [
            ("/{body.a}.json", "50%", "/50%25.json"), ("/group%2F{body.a}", "x%", "/group%2Fx%25"),
            ("/{body.a}/2F", "%", "/%25/2F"), ("/{body.a}?x=2F", "%", "/%25?x=2F"),
            ("/a%252F{body.a}", "%", "/a%252F%25"),
        ])
    func sharing(path: String, value: String, target: String) throws {
        try page([bench.part("b", path)])
        #expect(try post(#"{"a":"\#(value)"}"#).status == 200)
        #expect(bench.targets == [target])
    }
}
