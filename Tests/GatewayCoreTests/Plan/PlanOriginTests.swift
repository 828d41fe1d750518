import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx
import RxTesting
import Testing

@Suite("Values that their place cannot have, by origin", .noLeaks)
struct PlanOriginTests {
    private let bench = Bench()

    private func post(_ body: String, _ target: String = "/page") throws -> Reply {
        try bench.answer(.post, target, fields: [.contentType: "application/json"], body: body)
    }

    private func page(_ parts: [PlannedPart], _ change: (inout PlannedEndpoint) -> Void = { _ in }) throws {
        bench.transport.answer(.data(#"{"name":"a/b","list":["a/b"]}"#))
        try bench.page(parts) { endpoint in
            endpoint.method = .post
            endpoint.body = BodySchema(BodyRule(.any))
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
            ("[1,2,3,4]", "body.users has 4 elements, more than 3"), (#""x""#, "body.users is not an array"),
        ])
    func clientList(list: String, message: String) throws {
        try page([each("/{item}", of: "body.users")])
        let reply = try post("{\"users\":\(list)}")
        #expect(reply.status == 400)
        #expect(reply.message == "cards was not requested: \(message)")
        #expect(bench.targets.isEmpty)
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
                    if place == 2 { $0.headers = [("X-O", text("{body.o}"))] }
                    if place == 3 { $0.headers = [("X-O", text("{body.t}"))] }
                }
            ]) {
                $0.method = .post
                $0.body = BodySchema(BodyRule(.any))
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
}
