import EndpointPlans
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
        #expect(document.upstreams[1].settings.urls == ["http://127.0.0.1:8081/users"])
        #expect(
            document.endpoints.map(\.path.value.text) == [
                "/api/weights/charts", "/api/home", "/api/weights/{date}/{half}",
            ])
        #expect(
            document.endpoints[1].parts.list.map(\.name) == ["weights", "weather", "tags", "user"])
        guard case .group(let weather) = document.endpoints[1].parts.list[1].content,
            case .call(let forecast) = weather.parts[0].content,
            case .call(let now) = weather.parts[1].content
        else {
            Issue.record("the weather is no group of calls")
            return
        }
        // The merge key adds its members at its place.
        #expect(forecast.query.map(\.name) == ["dataType", "nx", "ny", "pageNo", "numOfRows"])
        #expect(now.query.map(\.name) == ["dataType", "nx", "ny"])
        #expect(document.endpoints[2].first.map(\.name) == ["save"])
    }

    @Test("The profile calls up to 165 times, as its plan says")
    func profile() throws {
        let reading = try Fixture.example("profile")
        #expect(
            reading.lines == [
                "profile.yaml:5:3: warning: one request makes up to 165 upstream calls, with retries"
            ])
        let document = try #require(reading.document)
        #expect(document.upstreams[0].settings.headers.map(\.value) == ["secret"])
        #expect(reading.paths == ["profile.yaml", "/run/secrets/key"])
        let endpoint = document.endpoints[0]
        #expect(endpoint.answer.completeField == "X-Krakend-Completed")
        guard case .call(let friends) = endpoint.parts.list[2].content,
            case .group(let quotes) = endpoint.parts.list[3].content
        else {
            Issue.record("friends and quotes are missing")
            return
        }
        #expect(friends.items?.source.text == "{parts.user.friends[*].id}")
        #expect(friends.path.value.pieces.count == 2)
        #expect(quotes.atLeast == 2)
    }
}
