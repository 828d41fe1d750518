import GatewayTesting
import Profile
import Sluice
import Testing

@Suite("The profile endpoint in a package that uses Sluice")
struct ProfileTests {
    private let users = StubUpstream { request in
        switch request.path {
        case "/users/kim": .json(#"{"name":"Kim","since":2019}"#)
        case "/users/kim/badges": .json(#"["early bird"]"#)
        case "/users/lee": .json(#"{"name":"Lee"}"#)
        case "/users/lee/badges": .status(.serviceUnavailable)
        default: .status(.notFound)
        }
    }

    @Test("A request for an unknown user gets a 404 that names the part")
    func aUserThatDoesNotExistIsNotFound() async throws {
        try await withGateway(upstreams: ["users": users], declare: declareProfile) { client in
            let response = try await client.get("/api/profile/nobody")
            #expect(response.status == .notFound)
            let error = try #require(try response.json[member: "errors"]?[element: 0])
            #expect(error[member: "part"]?.stringValue == "user")
            #expect(error[member: "kind"]?.stringValue == "requestErr")
        }
    }

    @Test("Failing badges are replaced by their fallback, and the answer is PARTIAL")
    func failingBadgesLeaveTheirFallback() async throws {
        try await withGateway(upstreams: ["users": users], declare: declareProfile) { client in
            let response = try await client.get("/api/profile/lee")
            #expect(response.status == .ok)
            let envelope = try response.json
            #expect(envelope[member: "code"]?.stringValue == "PARTIAL")
            #expect(envelope[member: "data"]?[member: "badges"]?.description == "[]")
        }
    }

    @Test("A complete answer has the upstream's bytes unchanged and the package's own value")
    func everythingThere() async throws {
        try await withGateway(upstreams: ["users": users], declare: declareProfile) { client in
            let response = try await client.get("/api/profile/kim")
            let data = try #require(try response.json[member: "data"])
            #expect(
                data.description
                    == #"{"user":{"name":"Kim","since":2019},"badges":["early bird"],"greeting":{"text":"Hello, Kim"}}"#
            )
            #expect(users.requests.allSatisfy { $0.fields[.via] == "1.1 sluice" })
        }
    }

    @Test("An async handler answers, and the error for a missing parameter names it")
    func anAsyncHandlerAnswers() async throws {
        try await withGateway(upstreams: ["users": users], declare: declareProfile) { client in
            let refused = try await client.get("/api/hello")
            #expect(refused.status == .badRequest)
            #expect(try refused.json[member: "message"]?.stringValue?.contains("\"name\"") == true)
            let response = try await client.get("/api/hello?name=Park")
            #expect(try response.json[member: "data"]?.description == #"{"text":"Hello, Park"}"#)
        }
    }
}

@Suite("The profile endpoint in both worlds")
struct ProfileWorldTests {
    @Test("Badges that are cut short are replaced by their fallback", arguments: GatewayWorld.allCases)
    func truncatedBadges(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["users"].on(.get, "/users/{name}").answer { request in
            .json(["name": .init(request.parameters["name"] ?? "")])
        }
        let badges = upstreams["users"].on(.get, "/users/{name}/badges").answer(.truncates)
        try await withGateway(world, upstreams: upstreams, declare: declareProfile) { client in
            let response = try await client.get("/api/profile/lee")
            #expect(response.status == .ok)
            #expect(try response.json[member: "code"]?.stringValue == "PARTIAL")
        }
        #expect(badges.requests.count == 3)
    }

    @Test("A user service that hangs is a 504 after exactly five seconds of virtual time")
    func hangingUser() async throws {
        let upstreams = StubUpstreams()
        upstreams["users"].onAny.answer(.hangs)
        try await withGateway(.virtualTime, upstreams: upstreams, declare: declareProfile) { client in
            let response = try await client.get("/api/profile/kim")
            #expect(response.status == .gatewayTimeout)
            #expect(response.elapsed == .seconds(5))
        }
    }
}

@Suite("The profile endpoint in virtual time")
struct ProfileTimeTests {
    @Test("If the user service stays silent, the client gets a 504 after five seconds of virtual time")
    func aSilentServiceIsATimeout() throws {
        let gateway = try VirtualGateway(declare: declareProfile)
        gateway.upstreams.answer("/users/kim", .silence)
        gateway.upstreams.answer("/users/kim/badges", .json("[]"))
        let answer = try gateway.get("/api/profile/kim")
        #expect(answer.status == .gatewayTimeout)
        #expect(answer.elapsed == .seconds(5))
        #expect(
            try answer.json[member: "errors"]?[element: 0]?[member: "reason"]?.stringValue
                == "connection_read_timeout")
    }
}
