import EndpointPlans
import Testing

@testable import GatewayConfig

@Suite("A static check of who may call")
struct AccessStaticTests {
    private func read(_ text: String) -> ConfigReading {
        // Without the files of keys.
        ConfigReading.read(text: text, mode: .staticCheck)
    }

    @Test("No file of keys is read")
    func files() {
        let reading = read(
            """
            listen: {host: 0.0.0.0}
            auth:
              programs: {apiKeys: {file: programs.keys}}
              page: {jwt: {keys: {file: page.jwks}, algorithms: [RS256], issuer: i, audience: a}}
            endpoints: [{get: /a, data: {value: "{claims.sub}"}, require: programs}, {get: /b, data: {value: 1}, require: page}]
            """)
        #expect(reading.lines == [])
        #expect(reading.paths == ["f"])
    }

    @Test(
        "What a variable sets is not compared with other values",
        arguments: [
            "auth: {a: {jwt: {keys: {upstream: id, get: /k}, algorithms: [ES256], issuer: i, audience: a, required: [exp, sub]}}}",
            "auth: {a: {jwt: {keys: {upstream: id, get: '${K}'}, algorithms: ['${A}', ES256], issuer: '${I}', audience: '${A}', required: ['${R}']}}}",
            "auth: {a: {apiKeys: {file: '${F}', header: '${H}'}}}",
            "auth: {a: {authorize: {upstream: '${U}', get: '${K}', forward: ['${H}', X-A], timeout: '${T}'}}}",
            "auth: {a: {apiKeys: {file: f}, send: {X-A: '${V}'}}}",
        ])
    func entries(auth: String) {
        let reading = read(
            """
            listen: {host: 0.0.0.0}
            upstreams: {id: {url: "http://${HOST}"}}
            \(auth)
            endpoints:
            - {get: /a, data: {upstream: id, get: /a}, require: a}
            - {get: /b, data: {upstream: id, get: /a}, require: "${E}"}
            - {get: /c, data: {upstream: id, get: "/{claims.sub}"}, require: {any: ["${E}", "${F}", a], scopes: "${S}", claims: {b: "${B}"}}}
            - {get: /d, data: {value: 1}, require: none, forward: ["${H}"]}
            """)
        #expect(reading.lines == [])
    }

    @Test(
        "Only an address in the file itself tells of a proxy in front: arguments may give another",
        arguments: [
            ("", 0), ("listen: {port: 80}", 0), ("listen: {host: 0.0.0.0}", 0),
            ("listen: {host: '${HOST}'}", 0), ("listen: {host: 127.0.0.1}", 1), ("listen: {host: '::1'}", 1),
            ("listen: {host: localhost}\nclients: {trusted: [127.0.0.1]}", 0),
        ])
    func proxyInFront(_ settings: String, _ warnings: Int) {
        let reading = read(
            """
            \(settings)
            rateLimits: {a: {key: client, rate: 5/1s}}
            endpoints: [{get: /a, data: {value: 1}, rateLimits: a}]
            """)
        #expect(reading.lines.count == warnings, "\(reading.lines)")
    }

    @Test("Limits and stores that variables set are not compared")
    func limits() {
        let reading = read(
            """
            stores: {main: {redis: "${R}", tls: {verify: full}, timeout: "${T}", password: "${P}"}}
            rateLimits:
              a: {key: "${K}", rate: "${R}", burst: 5, store: "${S}", onStoreFailure: "${F}"}
              b: {key: [identity, "${K}"], rate: 5/1s, when: {a: "${W}"}}
            endpoints: [{get: /a, data: {value: 1}, rateLimits: [a, "${L}", "${M}"]}]
            """)
        #expect(reading.lines == [])
    }
}
