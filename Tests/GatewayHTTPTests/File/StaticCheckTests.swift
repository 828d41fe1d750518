import Foundation
import GatewayConfig
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("A static check tells what does not depend on variables, secrets and files of the machine")
struct StaticCheckTests {
    private let scratch = ScratchFolder()

    private func problems(_ text: String) throws -> [String] {
        let path = scratch.file("f.yaml")
        try ("version: 1\n" + text).write(toFile: path, atomically: true, encoding: .utf8)
        return GatewayFile.problems(of: path, isStatic: true).filter { $0.severity == .error }.map {
            problem in
            "\(problem.line): \(problem.message)"
        }
    }

    private static let endpoint = "endpoints:\n- {get: /a, parts: {is: {value: 1}}}\n"

    @Test(
        "A value without a variable is checked by the module that uses it",
        arguments: [
            ("cors: {origins: [app.example]}\n", "2: the CORS origin \"app.example\" is not of the form"),
            ("listen: {host: example.com}\n", "2: host takes a numeric address"),
            ("upstreams: {u: {url: \"http://c/a/../b\"}}\n", "2: the address of upstream u"),
            ("schemas: {S: {pattern: \"(\"}}\n", "2: pattern: "),
        ])
    func settings(text: String, problem: String) throws {
        let problems = try problems(text + Self.endpoint)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(problem) == true, "\(problems)")
    }

    @Test("Endpoints without a variable are checked by the engine, beside others with one")
    func endpoints() throws {
        let problems = try problems(
            """
            upstreams: {u: {url: "${URL}", tls: {ca: /none/ca.pem}}}
            public: /none
            endpoints:
            - get: /a
              query: {a: {type: string, pattern: "c+", default: a}}
              data: {upstream: u, get: /a}
            - get: /between
              data: {value: 1}
            - deadline: "${DEADLINE}"
              get: /b
              answer: {headers: {X-A: "${A}"}}
              data: {upstream: u, get: /b}
            - get: /c
              query: {a: {type: string, pattern: "${PATTERN}", default: "${DEFAULT}"}}
              data: {upstream: u, get: /c}
            - {proxy: "/d/{rest...}", upstream: "${U}"}
            - get: /e
              data: {value: 1}
            - get: /f
              query: {a: {type: string, pattern: "b+", default: a}}
              data: {upstream: u, get: /f}

            """)
        #expect(
            problems == [
                "6: the default must be a text with the pattern c+",
                "21: the default must be a text with the pattern b+",
            ])
    }

    @Test("Values with variables, folders and certificates are not checked")
    func unknown() throws {
        let problems = try problems(
            """
            listen: {host: "${HOST}", port: "${PORT}"}
            hosts: ["${A} b"]
            name: "${NAME}"
            cors: {origins: ["${ORIGIN}"]}
            proxy: "${PROXY}"
            noProxy: ["${NO}"]
            public: "${PUBLIC}"
            spoolDirectory: /none
            defaults: {credentials: ["${U}"]}
            upstreams:
              a: {urls: ["http://a", "${URL}"], dns: {servers: ["${DNS}"]}}
              u: {url: https://u, tls: {cert: /none, key: "${KEY}"}}
            endpoints:
            - get: /a
              data: {upstream: a, get: /a}
            - get: /b
              data: {upstream: u, get: "/${B}"}

            """)
        #expect(problems == [])
    }

    @Test(
        "Settings of an upstream with a variable are not compared, and others are",
        arguments: [
            ("health: {path: '${A}'}", []), ("health: {path: '/${A}', interval: '${B}'}", []),
            ("breaker: {maxOpen: '${A}'}", []), ("breaker: {open: 20s, maxOpen: '${A}'}", []),
            ("breaker: {open: '${A}', maxOpen: 1s}", []), ("ejection: {max: '${A}'}", []),
            ("ejection: {base: 1h, max: '${A}'}", []), ("ejection: {base: '${A}', max: 1s}", []),
            ("dns: {maxTTL: '${A}'}", []), ("dns: {minTTL: 10m, maxTTL: '${A}'}", []),
            ("dns: {minTTL: '${A}', maxTTL: 100ms}", []),
            (
                "breaker: {open: 20s, probes: '${A}'}",
                ["2: breaker.maxOpen (15s) is less than breaker.open"]
            ), ("dns: {servers: [none], stale: '${A}'}", ["2: dns: "]),
        ])
    func upstreams(settings: String, expected: [String]) throws {
        let problems = try problems("upstreams: {u: {url: 'http://u', \(settings)}}\n" + Self.endpoint)
        #expect(problems.map { String($0.prefix(expected.first?.count ?? .max)) } == expected)
    }

    @Test("Names that variables of defaults set are not compared with an endpoint's own")
    func defaults() throws {
        let problems = try problems(
            """
            defaults: {credentials: ["${U}"], forward: ["${F}"], answer: {envelope: bare, completeHeader: "${C}"}}
            upstreams: {u: {url: "http://u"}}
            endpoints:
            - get: /a
              cookies: [u]
              answer: {headers: {X: x}}
              data: {upstream: u, get: /a}
            - get: /b
              answer: {headers: {Content-Type: x}}
              data: {upstream: u, get: /b}

            """)
        #expect(problems == ["10: Content-Type is set by the gateway alone"])
    }
}
