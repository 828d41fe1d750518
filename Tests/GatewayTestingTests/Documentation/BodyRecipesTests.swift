import GatewayCore
import GatewayHTTP
import GatewayTesting
import HTTPModel
import JSONBytes
import TestSupport
import Testing

/// Compiles and runs the recipes about request bodies that are not JSON.
@Suite("The recipes for forms and streamed bodies")
struct BodyRecipesTests {
    struct Login: Decodable {
        var name: String
        var remember: Bool?
    }

    func declareLogin(on gateway: Gateway) {
        gateway.post("/login") { request in
            let login = try request.form(as: Login.self)
            return .json(["name": .init(login.name), "remember": .init(login.remember ?? false)])
        }
    }

    @Test("A form is decoded, and a wrong one names the field", arguments: GatewayWorld.allCases)
    func form(world: GatewayWorld) async throws {
        try await withGateway(world, declare: declareLogin) { client in
            let fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let login = try await client.send(
                .post, "/login", fields, body: "name=Ada+Kim&remember=true".utf8)
            let expected = """
                {"name":"Ada Kim","remember":true}
                """
            #expect(try login.json[member: "data"]?.description == expected)
            let wrong = try await client.send(.post, "/login", fields, body: "name=Ada&remember=yes".utf8)
            #expect(wrong.status == .badRequest)
            #expect(
                try wrong.json[member: "message"]?.stringValue
                    == #"Form field "remember" must be true or false"#)
        }
    }

    func declarePhotos(on gateway: Gateway, folder: String) {
        gateway.post("/photos", .streamsBody, .bodyLimit(20 << 20), .deadline(.seconds(60))) { request in
            var (title, photos) = ("", 0)
            for try await part in request.multipart() {
                switch part.name {
                case "title": title = try await part.text()
                case "photo":
                    try await part.save(inFolder: folder)
                    photos += 1
                default: break
                }
            }
            return .json(["title": .init(title), "photos": .init(photos)]).status(.created)
        }
    }

    @Test("An upload is written to a file as it arrives", arguments: GatewayWorld.allCases)
    func upload(world: GatewayWorld) async throws {
        let folder = ScratchFolder()
        let path = folder.path
        try await withGateway(world, declare: { declarePhotos(on: $0, folder: path) }) { client in
            let form =
                "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nLamp\r\n"
                + "--x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"../a.png\"\r\n\r\nPNG\r\n--x--\r\n"
            let response = try await client.send(
                .post, "/photos", [.contentType: "multipart/form-data; boundary=x"], body: form.utf8)
            let expected = """
                {"title":"Lamp","photos":1}
                """
            #expect(response.status == .created)
            #expect(try response.json[member: "data"]?.description == expected)
        }
    }

    func declareLines(on gateway: Gateway) {
        gateway.post("/lines", .streamsBody, .bodyLimit(1 << 30), .deadline(.seconds(600))) { request in
            var lines = 0
            for try await piece in request.bodyStream { lines += piece.count { $0 == UInt8(ascii: "\n") } }
            return .json(["lines": .init(lines)])
        }
    }

    @Test("A body is read in pieces", arguments: GatewayWorld.allCases)
    func stream(world: GatewayWorld) async throws {
        try await withGateway(world, declare: declareLines) { client in
            let response = try await client.send(
                .post, "/lines", body: String(repeating: "line\n", count: 1000).utf8)
            #expect(try response.json[member: "data"]?.description == #"{"lines":1000}"#)
        }
    }
    func declareAvatar(on gateway: Gateway) {
        gateway.put("/avatar", .streamsBody, .bodyLimit(1 << 20)) { request in
            guard request.header(.contentType) == "image/png" else {
                throw GatewayError(.unsupportedMediaType, "An avatar is a PNG")
            }
            let image = try await request.bodyStream.bytes(limit: 64 << 10)
            return .json(["bytes": .init(image.count)])
        }
    }

    @Test(
        "A body is read into memory up to a limit, once its head is accepted",
        arguments: GatewayWorld.allCases)
    func whole(world: GatewayWorld) async throws {
        try await withGateway(world, declare: declareAvatar) { client in
            let png: HTTPFields = [.contentType: "image/png"]
            let text = try await client.send(.put, "/avatar", [.contentType: "text/plain"], body: "a".utf8)
            #expect(text.status == .unsupportedMediaType)
            let long = try await client.send(
                .put, "/avatar", png, body: [UInt8](repeating: 0, count: (64 << 10) + 1))
            #expect(long.status == .contentTooLarge)
            let image = try await client.send(
                .put, "/avatar", png, body: [UInt8](repeating: 0, count: 64 << 10))
            #expect(try image.json[member: "data"]?.description == #"{"bytes":65536}"#)
        }
    }
}
