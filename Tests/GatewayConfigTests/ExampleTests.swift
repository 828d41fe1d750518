import HTTPModel
import Testing

@testable import GatewayConfig

@Suite("The examples of the format")
struct ExampleTests {
    @Test("The diary has three upstreams and three endpoints, and no problem")
    func diary() throws {
        let reading = try Fixture.example("diary")
        #expect(reading.lines == [])
        let document = try #require(reading.document)
        #expect(document.upstreams.map(\.name.value) == ["diary", "users", "weather"])
        #expect(document.upstreams[1].urls.map(\.value) == ["http://127.0.0.1:8081/users"])
        #expect(
            document.endpoints.map(\.path.value.text) == [
                "/api/weights/charts", "/api/home", "/api/weights/{date}/{half}",
            ])
        #expect(
            document.endpoints[1].content.parts.map(\.name.value) == ["weights", "weather", "tags", "user"])
        guard case .group(let weather) = document.endpoints[1].content.parts[1].kind,
            case .call(let forecast) = weather.parts[0].kind, case .call(let now) = weather.parts[1].kind
        else {
            Issue.record("the weather is no group of calls")
            return
        }
        // The merge key adds its members at its place.
        #expect(forecast.request.query.map(\.name.value) == ["dataType", "nx", "ny", "pageNo", "numOfRows"])
        #expect(now.request.query.map(\.name.value) == ["dataType", "nx", "ny"])
        #expect(document.endpoints[2].steps.map(\.name.value) == ["save"])
    }

    @Test("The profile calls up to 165 times, as its plan says")
    func profile() throws {
        let reading = try Fixture.example("profile")
        #expect(
            reading.lines == [
                "profile.yaml:5:3: warning: one request makes up to 165 upstream calls, with retries"
            ])
        let document = try #require(reading.document)
        #expect(document.upstreams[0].headers[0].value.value == "secret")
        #expect(reading.paths == ["profile.yaml", "/run/secrets/key"])
        let endpoint = document.endpoints[0]
        #expect(endpoint.answer.completeHeader?.value == "X-Krakend-Completed")
        guard case .forEach(let friends) = endpoint.content.parts[2].kind,
            case .group(let quotes) = endpoint.content.parts[3].kind
        else {
            Issue.record("friends and quotes are missing")
            return
        }
        #expect(friends.items.text == "{parts.user.friends[*].id}")
        #expect(friends.call.request.path.value.pieces.count == 2)
        #expect(quotes.atLeast?.value == 2)
    }
}
