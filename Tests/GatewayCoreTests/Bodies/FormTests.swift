import HTTPModel
import RxTesting
import Testing

@testable import GatewayCore

@Suite("Forms in request bodies", .noLeaks)
struct FormTests {
    enum Half: String, Codable { case am, pm }

    struct Login: Codable {
        var name: String
        var age: Int?
        var ratio: Float
        var isStaff: Bool
        var half: Half
        var tags: [String]
        var day: CalendarDate?
    }

    private static let type: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    private let bench = Bench()

    init() {
        bench.gateway.post("/count") { request in
            .json(try request.form().value("n", as: Int.self))
        }
        bench.gateway.post("/range") { request in
            .json(try request.form().value("n", in: 1...5, default: 3))
        }
        bench.gateway.post("/list") { request in
            .json(try request.form().values("n", as: Int.self))
        }
        bench.gateway.post("/names") { request in
            let form = try request.form()
            return .json(form.names + [try form.value("q", default: "none")])
        }
        bench.gateway.post("/login") { request in .json(try request.form(as: Login.self)) }
        bench.gateway.post("/stream", .streamsBody) { request in .json(try request.form().names) }
    }

    private func reply(_ path: String, _ body: String, _ fields: HTTPFields = type) throws -> Reply {
        try bench.answer(.post, path, fields: fields, body: body)
    }

    @Test(
        "Fields are read with their types, in any order",
        arguments: [
            ("/count", "a=b&n=7", "7"), ("/count", "n=-7&&", "-7"), ("/range", "", "3"),
            ("/range", "n=5", "5"),
            ("/list", "n=1&m=9&n=2", "[1,2]"), ("/list", "", "[]"),
            ("/names", "a+b=c&%C3%BC=1&q=x%3D+y", #"["a b","ü","q","x= y"]"#),
            ("/names", "a", #"["a","none"]"#),
        ])
    func values(path: String, body: String, data: String) throws {
        let reply = try reply(path, body)
        #expect(reply.status == 200)
        #expect(reply["/data"] == data)
    }

    @Test(
        "An invalid field gets a 400 that names it and its rule",
        arguments: [
            ("/count", "", "Form field \"n\" is missing; it must be an integer"),
            ("/count", "n=x", "Form field \"n\" must be an integer"),
            ("/count", "n=1&n=2", "Form field \"n\" is given 2 times; it must be given once"),
            ("/range", "n=6", "Form field \"n\" must be an integer from 1 to 5"),
            ("/list", "n=1&n=x", "Form field \"n\" must be an integer"),
            ("/count", "n=%4", "The form cannot be read: a % is not followed by two hexadecimal digits"),
            ("/count", "n=%FF", "The form cannot be read: is not UTF-8"),
        ])
    func faults(path: String, body: String, message: String) throws {
        let reply = try reply(path, body)
        #expect(reply.status == 400)
        #expect(reply.message == message)
    }

    @Test("A form has at most 1000 fields")
    func count() throws {
        let most = Array(repeating: "n=1", count: 1000).joined(separator: "&")
        #expect(try reply("/list", most).status == 200)
        let reply = try reply("/list", most + "&n=1")
        #expect(reply.status == 400)
        #expect(reply.message == "The form has more than 1000 fields")
    }

    @Test(
        "A body of another type gets 415",
        arguments: [
            "", "text/plain", "multipart/form-data", "application/x-www-form-urlencoded; charset=latin1",
        ])
    func contentType(type: String) throws {
        #expect(try reply("/count", "n=1", [.contentType: type]).status == 415)
        #expect(try reply("/count", "n=1", [:]).status == 415)
        let plain: HTTPFields = [.contentType: "application/x-www-form-urlencoded; charset=UTF-8"]
        #expect(try reply("/count", "n=1", plain).status == 200)
    }

    @Test("A form is decoded as a model")
    func model() throws {
        let body = "name=Kim+Lee&ratio=0.5&isStaff=true&half=pm&tags=a&tags=b&day=2026-11-20"
        let reply = try reply("/login", body)
        #expect(reply["/data/name"] == #""Kim Lee""#)
        #expect(reply["/data/ratio"] == "0.5")
        #expect(reply["/data/isStaff"] == "true")
        #expect(reply["/data/half"] == #""pm""#)
        #expect(reply["/data/tags"] == #"["a","b"]"#)
        #expect(reply["/data/day"] == #""2026-11-20""#)
        let least = try self.reply("/login", "name=&ratio=1&isStaff=false&half=am&age=7")
        #expect(least["/data/age"] == "7")
        #expect(least["/data/tags"] == "[]")
    }

    @Test(
        "A form that does not fit the model gets a 400 that names the field",
        arguments: [
            ("ratio=1", "Form field \"name\" is missing; it must be given"),
            ("name=a&name=b", "Form field \"name\" is given 2 times; it must be given once"),
            ("name=a&age=x", "Form field \"age\" must be an integer"),
            ("name=a&ratio=x", "Form field \"ratio\" must be a decimal number"),
            ("name=a&ratio=1&isStaff=on", "Form field \"isStaff\" must be true or false"),
            ("name=a&ratio=1&isStaff=true&half=noon", "Form field \"half\" is not valid"),
        ])
    func modelFaults(body: String, message: String) throws {
        let reply = try reply("/login", body)
        #expect(reply.status == 400)
        #expect(reply.message == message)
    }

    @Test("A form at an endpoint that streams bodies is 500 and an incident")
    func streamed() throws {
        #expect(try reply("/stream", "n=1").status == 500)
        #expect(
            bench.incidents.map { "\($0.error)" }
                == ["form() needs the whole body, but the endpoint streams it"])
    }
}
