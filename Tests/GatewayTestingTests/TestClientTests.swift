import GatewayTesting
import HTTPModel
import JSONBytes
import Testing

@Suite("The test client")
struct TestClientTests {
    @Test("It sends any method, fields and bytes", arguments: GatewayWorld.allCases)
    func anything(world: GatewayWorld) async throws {
        try await withGateway(world, declare: declareShop) { client in
            let bytes: [UInt8] = [0, 255, 13, 10, 128]
            let raw = try await client.send(.patch, "/echo", [.contentType: "image/png"], body: bytes)
            #expect(raw.status == .ok)
            #expect(Array(raw.body) == bytes)
            #expect(raw.fields[.contentType] == "image/png")
            let json = try await client.patch("/echo", json: ["a": [1, nil]])
            #expect(json.text == #"{"a":[1,null]}"#)
            #expect(try json.json[member: "a"]?[element: 0]?.intValue == 1)
            let text = try await client.patch(
                "/echo", json: "[1]", [.contentType: "application/problem+json"])
            #expect(text.fields[.contentType] == "application/problem+json")
            let purge = HTTPMethod(rawValue: "PURGE")
            let unknown = try await client.send(try #require(purge), "/echo")
            #expect(unknown.status == .methodNotAllowed)
            let options = try await client.send(.options, "/text")
            #expect(options.status == .noContent)
        }
    }

    @Test("A HEAD gets the head of a GET", arguments: GatewayWorld.allCases)
    func head(world: GatewayWorld) async throws {
        try await withGateway(world, declare: declareShop) { client in
            let response = try await client.head("/text")
            #expect(response.status == .ok)
            #expect(response.body.isEmpty)
            #expect(response.fields[.contentLength] == "5")
        }
    }

    @Test("An invalid path and a body that is too large are refused", arguments: GatewayWorld.allCases)
    func refused(world: GatewayWorld) async throws {
        try await withGateway(world, declare: declareShop) { client in
            let path = try await client.get("/weights/%2e%2e")
            #expect(path.status == .badRequest)
            let body = try await client.send(.patch, "/echo", body: Array(repeating: 0, count: 2 << 20))
            #expect(body.status == .contentTooLarge)
        }
    }

    @Test("A status is printed with its reason and the body, shortened", arguments: GatewayWorld.allCases)
    func printed(world: GatewayWorld) async throws {
        try await withGateway(world, declare: declareShop) { client in
            let missing = try await client.get("/missing")
            #expect("\(missing.status)".hasPrefix(#"404 Not Found: {"code":"NOT_FOUND""#))
            #expect(missing.status.code == 404)
            #expect(missing.status.isClientError)
            #expect(missing.status != .ok)
            #expect("\(missing)".hasPrefix("404 Not Found: {"))
            let long = try await client.send(.patch, "/echo", body: String(repeating: "a", count: 5000).utf8)
            #expect("\(long.status)" == "200 OK: \(String(repeating: "a", count: 1000))... (5000 bytes)")
            let bytes = try await client.send(.patch, "/echo", body: [255, 254])
            #expect("\(bytes.status)" == "200 OK: 2 bytes")
            let empty = try await client.send(.options, "/text")
            #expect("\(empty.status)" == "204 No Content")
        }
    }

    @Test("A failing expectation shows the whole answer")
    func shown() async throws {
        let response = try await withGateway(.virtualTime, declare: declareShop) {
            try await $0.get("/missing")
        }
        withKnownIssue {
            #expect(response.status == .ok)
        } matching: { issue in
            let text = "\(issue)"
            return text.contains(
                #"404 Not Found: {"code":"NOT_FOUND","message":"No endpoint matches this path""#)
        }
    }

    @Test("Waiting lets time pass in both worlds", arguments: GatewayWorld.allCases)
    func wait(world: GatewayWorld) async throws {
        let clock = ContinuousClock()
        let began = clock.now
        try await withGateway(world, declare: declareShop) { client in
            try await client.wait(world == .sockets ? .milliseconds(20) : .seconds(3_600))
        }
        if world == .sockets { #expect(clock.now - began >= .milliseconds(19)) }
        #expect(clock.now - began < .seconds(3_600))
    }
}
