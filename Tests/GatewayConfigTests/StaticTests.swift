import EndpointPlans
import Testing

@testable import GatewayConfig

@Suite("A static check reads no variables")
struct StaticTests {
    private struct Untouchable: ConfigSource {
        let text: String

        func read(_ path: String, limit: Int) throws(ConfigSourceError) -> [UInt8] {
            guard path == "f" else {
                Issue.record("read \(path)")
                throw ConfigSourceError("no such file")
            }
            return Array(text.utf8)
        }

        func paths(matching pattern: String) throws(ConfigSourceError) -> [String] { [] }

        func variable(_ name: String) -> String? {
            Issue.record("asked for \(name)")
            return nil
        }
    }

    private func read(_ text: String) -> ConfigReading {
        ConfigReading.read("f", from: Untouchable(text: text), mode: .staticCheck)
    }

    @Test("Methods that variables set may differ")
    func unknownMethods() {
        let text = """
            version: 1
            upstreams: {api: {url: "http://api"}}
            endpoints:
            - {proxy: /a, upstream: api, methods: ["${A}", "${B}", PUT]}
            - {put: /a, data: {upstream: api, put: /a}}
            """
        #expect(read(text).lines == ["f:5:4: error: PUT /a is declared twice; first at f:4:4"])
    }

    @Test("A fallback or an expected kind that a variable sets may fit")
    func unknownKinds() {
        let text = """
            version: 1
            upstreams: {api: {url: "http://api"}}
            endpoints:
            - get: /a
              parts:
                one: {upstream: api, get: /a, expect: "${KIND}", fallback: []}
                two: {upstream: api, get: /a, expect: array, fallback: "${VALUE}"}
            """
        #expect(read(text).lines == [])
    }

    private static let upstreams = "upstreams: {a: {url: 'http://a'}, b: {url: 'http://b', envelope: '${E}'}}"

    @Test(
        "What a variable sets is not compared with other values",
        arguments: [
            "{get: /x, credentials: ['${A}'], cookies: [a], data: {upstream: a, get: /}}",
            "{get: /x, credentials: [a], cookies: ['${A}', a], data: {upstream: a, get: /}}",
            "{proxy: /x, upstream: a, responseHeaders: {add: ['${A}'], remove: ['${B}']}}",
            "{proxy: /x, upstream: a, requestHeaders: {add: ['${A}', X], remove: [X-B, '${B}']}}",
            "{put: /x, first: {s: {upstream: a, put: /}}, data: {upstream: a, get: /, optional: '${O}'}}",
            "{get: /x, revealMessages: true, data: {upstream: b, get: /}}",
            "{get: /x, parts: {p: {value: {q: 1}, merge: '${M}'}, r: {value: {p: 1}, merge: true}}}",
            "{get: /x, parts: {p: {value: {q: 1}, hidden: '${H}'}, r: {value: {p: 1}, merge: true}}}",
            "{get: /x, query: {q: {type: '${T}', minimum: 1, default: 5}}, data: {value: 1}}",
            "{get: /x, query: {q: {type: '${T}', maxLength: 2, enum: [1, 2], default: 1}}, data: {value: 1}}",
        ])
    func comparedValues(endpoint: String) {
        let reading = read("version: 1\n\(Self.upstreams)\nendpoints:\n- \(endpoint)")
        let unwanted = reading.lines.filter {
            !$0.contains("no endpoint calls the upstream") && !$0.contains("has a variable")
        }
        #expect(unwanted == [])
    }

    @Test(
        "Values without a variable are compared next to others",
        arguments: [
            (
                "{get: /x, credentials: [b], cookies: [a], deadline: '${D}', data: {upstream: a, get: /}}",
                "cookies and credentials name different upstreams; if both are given they are equal"
            ),
            (
                "{proxy: /x, upstream: a, responseHeaders: {add: [ETag, '${A}'], remove: ['${B}', etag]}}",
                "etag is in add and in remove"
            ),
            (
                "{get: /x, parts: {p: {value: '${V}'}, r: {value: {p: 1}, merge: true}}}",
                "parts p and r both have the member \"p\" of one object"
            ),
        ])
    func knownComparisons(endpoint: String, error: String) {
        let reading = read("version: 1\n\(Self.upstreams)\nendpoints:\n- \(endpoint)")
        let errors = reading.problems.filter { $0.severity == .error }.map(\.message)
        #expect(errors == [error])
    }

    @Test("A value with a variable fits any type")
    func unknownValues() throws {
        let reading = read(
            """
            version: ${V}
            listen: {port: "${PORT}", host: "${HOST}", loops: "${N}"}
            log: {level: "${LEVEL}"}
            drain: {delay: "${DELAY}"}
            timeline: ${TIMELINE}
            limits: {deadline: "${D}", sendRate: "${R}", answer: "${S}"}
            upstreams:
              api:
                url: ${API}
                envelope: ${ENVELOPE}
                headers: {X-Key: "${file:/run/key}"}
                tls: {ca: "${CA}", verify: "${VERIFY}"}
                breaker: {failureRate: "${RATE}", open: 1m, maxOpen: "${MOST}"}
                concurrency: ${C}
              other: {url: "http://b"}
            endpoints:
            - get: /${PREFIX}/{id}
              path: {id: "${TYPE}"}
              query: {a: {type: integer, minimum: 5, maximum: "${M}", default: "${X}"}}
              credentials: ["${WHO}"]
              parts:
                a: {upstream: "${UP}", get: "${PATH}", query: {q: "x${Q}", r: "{query.a}${Q}"}, timeout: "${T}", pick: "${P}"}
                b: {upstream: api, get: "/{parts.a}", forEach: "{parts.a}", limit: "${L}", atLeast: 5, itemFailure: "${I}"}
                c: {upstream: api, get: /c, merge: "${MERGE}", fallback: "${FALLBACK}"}
            """)
        #expect(reading.lines.count == 1, "\(reading.lines)")
        #expect(reading.lines.first?.hasPrefix("f:19:51: warning: maximum has a variable: ") == true)
        let document = try #require(reading.document)
        #expect(document.upstreams.map(\.settings.urls.first) == ["${API}", "http://b"])
        #expect(document.endpoints.count == 1)
        #expect(reading.paths == ["f"])
    }

    @Test("A completeHeader or an envelope that a variable sets may fit the rest of the answer")
    func unknownCompleteHeader() {
        let answers = [
            "{envelope: bare, completeHeader: '${A}', headers: {X: a}}", "{completeHeader: '${A}'}",
            "{envelope: '${A}', completeHeader: X-A}",
            "{envelope: '${A}', completeHeader: X-A, headers: {X-A: a}}",
        ]
        for answer in answers {
            let reading = read(
                "version: 1\nupstreams: {api: {url: 'http://api'}}\nendpoints: [{get: /a, answer: \(answer), "
                    + "data: {upstream: api, get: /a}}]")
            #expect(reading.problems.isEmpty, "\(answer)")
        }
    }

    @Test("Everything else is checked")
    func knownValues() {
        let reading = read(
            """
            version: 1
            upstreams: {api: {url: "${API}", timeouts: {total: 5}}}
            endpoints:
            - get: /a
              parts: {a: {upstream: ap, get: "/{parts.b}${X"}}
            """)
        #expect(
            reading.lines == [
                "f:2:52: error: 5 needs a unit: 5s",
                "f:5:25: error: there is no upstream \"ap\"; did you mean \"api\"?",
                "f:5:34: error: ${ begins a variable that is not closed by }; $${ is the text ${",
            ])
    }
}
