import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

@Suite("Users API")
struct UsersAPITests {
    @Test("An unknown name gets 404 with an error body, and a name that is too long gets 400")
    func aNameThatNobodyHasIs404() throws {
        try withServer { server in
            for name in ["NOBODY", "green", "GREEN%20"] {
                let answer = try server.send("GET", "/users/\(name)")
                #expect(answer.status == 404)
                #expect(answer.json?.members.map(\.name) == ["code", "message"])
                #expect(answer.json?[member: "code"]?.stringValue == "USER_NOT_FOUND")
            }
            let long = try server.send("GET", "/users/\(String(repeating: "x", count: 33))")
            #expect(long.status == 400)
            #expect(long.json?[member: "code"]?.stringValue == "INVALID_NAME")
            #expect(try server.send("GET", "/users").status == 404)
            #expect(try server.send("GET", "/users/").status == 404)
        }
    }

    @Test("GREEN has names in Korean and English, and a user can have a Korean name")
    func greenIsThere() throws {
        try withServer { server in
            let green = try server.send("GET", "/users/GREEN")
            #expect(green.status == 200)
            let user = try #require(green.json?[member: "user"])
            #expect(user[member: "name"]?.stringValue == "GREEN")
            #expect(user[member: "nameKo"]?.stringValue == "김초록")
            #expect(user[member: "nameEn"]?.stringValue == "Green Kim")
            #expect(user[member: "level"]?.intValue == 42)
            let sky = try server.send("GET", "/users/%ED%95%98%EB%8A%98")
            #expect(sky.json?[member: "user"]?[member: "name"]?.stringValue == "하늘")
        }
    }
}

@Suite("Tags API")
struct TagsAPITests {
    private func card(_ last: Int) -> String { "/tags/received/3f2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c0\(last)" }

    @Test("A card that is not a UUID gets 400")
    func aCardThatIsNoUUIDIs400() throws {
        try withServer { server in
            for card in ["1", "3f2a9c1e", "3f2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c0g"] {
                let answer = try server.send("GET", "/tags/received/\(card)")
                #expect(answer.status == 400)
                #expect(answer.json?[member: "code"]?.stringValue == "INVALID_REQUEST")
                #expect(answer.json?[member: "message"]?.stringValue?.contains("UUID") == true)
            }
            #expect(try server.send("GET", "/tags/received").status == 404)
        }
    }

    @Test("An unknown or a blocked card gets a failure in the envelope, with HTTP status 200")
    func anUnknownCardIsAFailureInside() throws {
        try withServer { server in
            for (number, status, code) in [(9, 404, "CARD_NOT_FOUND"), (3, 403, "CARD_BLOCKED")] {
                let answer = try server.send("GET", card(number))
                #expect(answer.status == 200)
                #expect(answer.json?[member: "status"]?.intValue == status)
                #expect(answer.json?[member: "code"]?.stringValue == code)
                #expect(answer.json?[member: "data"]?.isNull == true)
            }
        }
    }

    @Test(
        "A card has its tags, newest first, whatever the case of its UUID; a card without tags has an empty list"
    )
    func aCardsTagsAreThere() throws {
        try withServer { server in
            let answer = try server.send("GET", card(1))
            let tags = try #require(answer.json?[member: "data"]?.elements)
            #expect(
                tags.compactMap { $0[member: "nameEn"]?.stringValue } == [
                    "Kind cat", "Swift cheetah", "Shining idea",
                ])
            #expect(tags.first?[member: "sender"]?.stringValue == "정하늘")
            let upper = try server.send("GET", "/tags/received/3F2A9C1E-0D4B-4C58-9A77-6B1E2F8D5C01")
            #expect(upper.body == answer.body)
            #expect(try server.send("GET", card(2)).json?[member: "data"]?.description == "[]")
        }
    }

    @Test("There are eight tags, each with two names and an icon")
    func thereAreEightTags() throws {
        try withServer { server in
            let tags = try #require(try server.send("GET", "/tags").json?[member: "data"]?.elements)
            #expect(tags.count == 8)
            #expect(
                tags.first?.description
                    == #"{"tagId":1,"name":"성실한 개미","nameEn":"Diligent ant","icon":"🐜"}"#)
        }
    }
}
