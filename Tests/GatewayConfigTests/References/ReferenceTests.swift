import EndpointPlans
import JSONBytes
import Testing

@testable import GatewayConfig

@Suite("References")
struct ReferenceTests {
    private func parse(_ text: String) throws(ReferenceParser.Fault) -> (
        ReferenceRoot, [JSONPathStep]
    ) {
        var parser = ReferenceParser(Array((text + "}").utf8), from: 0)
        let (root, path, _) = try parser.parse()
        return (root, path)
    }

    @Test("A path has RFC 9535's names, indices and wildcards")
    func paths() throws {
        #expect(try parse("body").1 == [])
        #expect(try parse("item[0][*].a").1 == [.index(0), .all, .name(Array("a".utf8))])
        #expect(
            try parse("parts.user['first name'][\"b\"]._x").1 == [
                .name(Array("user".utf8)), .name(Array("first name".utf8)), .name(Array("b".utf8)),
                .name(Array("_x".utf8)),
            ])
        #expect(try parse("parts.über.날씨").1 == [.name(Array("über".utf8)), .name(Array("날씨".utf8))])
        #expect(try parse("header.X-User-Id").1 == [.name(Array("X-User-Id".utf8))])
        #expect(
            try parse("parts.a['it\\'s \\\\ }']").1 == [
                .name(Array("a".utf8)), .name(Array("it's \\ }".utf8)),
            ])
    }

    @Test(
        "Anything else is an error",
        arguments: [
            "", "user", "parts.", "parts..a", "parts.2", "parts[", "parts[-1]", "parts[01]",
            "parts[1234567890]",
            "parts['a", "parts['a'", "parts['\\x']", "parts a", "parts.a b", "parts.a[?x]", "parts.$",
            "body.a}b",
        ])
    func faults(text: String) {
        if text == "body.a}b" {
            #expect((try? parse(text))?.1 == [.name(Array("a".utf8))])
        } else {
            #expect(throws: ReferenceParser.Fault.self) { try parse(text) }
        }
    }

    @Test("A slice is named as what is not supported", arguments: ["parts.a[0:12]", "item[:3]", "body[-2:]"])
    func slices(text: String) {
        let fault = #expect(throws: ReferenceParser.Fault.self) { try parse(text) }
        #expect(fault?.message.hasPrefix("slices are not supported: ") == true)
    }

    private func template(_ text: String, variables: [String: String] = [:]) -> (PlannedText?, [String]) {
        let problems = ProblemList()
        let source = MemorySource(variables: variables)
        let scalar = VariableReader(source, isStatic: false, problems: problems).scalar(
            text, .plain, at: .start(of: 0))
        let template = scalar.flatMap { scalar in
            TemplateParser.parse(scalar, at: .start(of: 0), problems) { root, path, text in
                PlanReference(.body, ValuePath(steps: path), text: text)
            }
        }
        return (template, problems.sorted(files: ["f"]).map(\.message))
    }

    private func shown(_ template: PlannedText?) -> [String]? {
        template?.pieces.map { piece in
            switch piece {
            case .text(let text): "'\(text)'"
            case .reference(let reference): reference.text
            }
        }
    }

    @Test("A text is cut into texts and references")
    func templates() {
        #expect(shown(template("/a/{body.x}/b{body}").0) == ["'/a/'", "{body.x}", "'/b'", "{body}"])
        #expect(shown(template("").0) == [])
        #expect(shown(template("{{body}} }").0) == ["'{body}} }'"])
        #expect(shown(template("{{{body}}").0) == ["'{'", "{body}", "'}'"])
        #expect(shown(template("é{body}é").0) == ["'é'", "{body}", "'é'"])
        #expect(
            template("a{b").1 == [
                "{b: a reference begins with path, query, header, body, claims, first, parts or item"
            ])
        #expect(
            template("{body").1 == ["{body: { begins a reference that is not closed by }; {{ is the text {"])
    }

    @Test("The value of a variable has no references, and joins the text around it")
    func variables() {
        let variables = ["V": "{body} {", "W": ""]
        #expect(
            shown(template("a${V}b{body.x}${W}", variables: variables).0) == ["'a{body} {b'", "{body.x}"])
        #expect(shown(template("$${body}", variables: variables).0) == ["'${body}'"])
        #expect(template("{body.${V}}", variables: variables).1.count == 1)
    }

    @Test("A header is found in any case and named as it is declared")
    func headers() throws {
        let scope = ReferenceScope()
        scope.headerNames = NameList(["X-Tenant"])
        let reference = try scope.resolve(
            .header, [.name(Array("x-TENANT".utf8))], text: "", at: .start(of: 0))
        #expect(reference.source == .header("X-Tenant"))
    }

    @Test(
        "A name that a reference needs is named by its fault",
        arguments: [
            (ReferenceRoot.path, "a path parameter has a name"), (.query, "a query parameter has a name"),
            (.header, "a header has a name"), (.first, "a step has a name"), (.parts, "a part has a name"),
        ])
    func missingNames(root: ReferenceRoot, message: String) {
        for path in [[], [JSONPathStep.index(0)]] {
            let fault = #expect(throws: ReferenceScope.Fault.self) {
                try ReferenceScope().resolve(root, path, text: "", at: .start(of: 0))
            }
            #expect(fault?.message() == message)
        }
    }

    @Test("A member of a group may come from a part that is merged into it")
    func mergedMembers() {
        let reading = ConfigReading.read(
            text: """
                upstreams: {api: {url: "http://a"}}
                endpoints:
                - get: /a
                  parts:
                    g: {parts: {m: {upstream: api, get: /m, merge: true}}}
                    a: {value: "{parts.g.name}"}
                """)
        #expect(reading.lines == [])
        guard case .value(.reference(let reference))? = reading.document?.endpoints[0].parts.list[1].content
        else {
            Issue.record("no reference")
            return
        }
        #expect(reference.source == .part(["g"]))
        #expect(reference.path.steps == [.name(Array("name".utf8))])
    }

    @Test("A long chain of parts and a wide endpoint are checked without recursion")
    func chains() {
        var text =
            "upstreams: {api: {url: \"http://a\"}}\nendpoints:\n- get: /a\n  parts:\n    p0: {upstream: api, get: /a}\n"
        for index in 1...20_000 { text += "    p\(index): {value: \"{parts.p\(index - 1)}\"}\n" }
        let count = "f:4:3: error: more than 256 steps and parts"
        #expect(ConfigReading.read(text: text).lines == [count])
        let cycle = text.replacing("p0: {upstream: api, get: /a}", with: "p0: {value: \"{parts.p20000}\"}")
        let lines = ConfigReading.read(text: cycle).lines
        #expect(
            lines == [
                count,
                "f:6:17: error: parts p0 -> p20000 -> p19999 -> p19998 -> p19997 -> ... -> p2 -> p1 -> p0 wait for each other",
            ])
    }
}
