import GatewayCore
import HTTPModel
import JSONBytes
import RxTesting
import Testing

private enum Sort: String, CaseIterable, RequestValue { case newest, price }

@Suite("Several parameters at once", .noLeaks)
struct ParametersTests {
    private let bench = Bench()

    /// An endpoint that answers with the texts of its parameters.
    private func declare() {
        bench.gateway.get("/shops/{shop}") { request in
            let (shop, page, sort, tags, name, theme, languages, limit) = try request.parameters(
                .path("shop", as: Int.self),
                .query("page", as: Int.self).in(1...100).default(1),
                .query("sort", as: Sort.self).default(.newest),
                .query("tags", listOf: String.self, count: 0...2, separator: ","),
                .query("name", as: String.self).length(2...4),
                .cookie(ifPresent: "theme", as: String.self),
                .field("Accept-Language", listOf: String.self),
                .field(ifPresent: "X-Limit", as: Int.self))
            let texts = [
                "\(shop)", "\(page)", sort.rawValue, "\(tags)", name, theme ?? "-", "\(languages)",
                "\(limit ?? -1)",
            ]
            return .json(texts)
        }
    }

    @Test("All faults are reported at once, each with its place, name and rule")
    func faults() throws {
        declare()
        let reply = try bench.answer(
            .get, "/shops/first?page=0&sort=size&tags=a,b,c&page=%zz",
            fields: ["X-Limit": "ten", .cookie: "theme=a; theme=b"])
        #expect(reply.status == 400)
        #expect(reply["/code"] == #""INVALID_REQUEST""#)
        #expect(
            reply["/details/0"]
                == #"{"in":"path","name":"shop","rule":"an integer","message":"Path parameter \"shop\" must be an integer"}"#
        )
        let names = try reply.json().value(at: "/details")?.elements.map { $0[member: "name"]?.stringValue }
        #expect(names == ["shop", "page", "sort", "tags", "name", "theme", "X-Limit"])
    }

    @Test("A missing parameter, one that is too long, and one out of its range name their rules")
    func rules() throws {
        declare()
        let reply = try bench.answer(.get, "/shops/1?page=101&sort=size&tags=a,b,c&name=12345")
        #expect(
            try reply.json().value(at: "/details")?.elements.map { $0[member: "message"]?.stringValue } == [
                #"Query parameter "page" must be an integer from 1 to 100"#,
                #"Query parameter "sort" must be one of newest, price"#,
                #"Query parameter "tags" must be 0 to 2 values, each text"#,
                #"Query parameter "name" must be text of 2 to 4 characters"#,
            ])
        let missing = try bench.answer(.get, "/shops/1")
        #expect(
            missing.message == #"Query parameter "name" is missing; it must be text of 2 to 4 characters"#)
    }

    @Test("Valid parameters are read with their types, and absent ones as declared")
    func values() throws {
        declare()
        let full = try bench.answer(
            .get, "/shops/7?page=3&sort=price&tags=a,b&name=kim",
            fields: [.cookie: "id=1; theme=dark", "Accept-Language": "ko , en", "X-Limit": "10"])
        #expect(full["/data"] == #"["7","3","price","[\"a\", \"b\"]","kim","dark","[\"ko\", \"en\"]","10"]"#)
        let least = try bench.answer(.get, "/shops/7?name=kim")
        #expect(least["/data"] == #"["7","1","newest","[]","kim","-","[]","-1"]"#)
    }

    @Test("A path parameter that the endpoint does not declare is 500 INTERNAL and an incident")
    func undeclared() throws {
        bench.gateway.get("/page") { request in .json(try request.parameter(.path("shop", as: Int.self))) }
        #expect(try bench.answer(.get, "/page").status == 500)
        #expect(bench.incidents.count == 1)
    }

    @Test("A field is read with its type; a missing or repeated one is 400")
    func field() throws {
        bench.gateway.get("/page") { request in .json(try request.header("X-Limit", as: Int.self)) }
        #expect(try bench.answer(.get, "/page", fields: ["X-Limit": "7"])["/data"] == "7")
        #expect(
            try bench.answer(.get, "/page").message == #"Field "X-Limit" is missing; it must be an integer"#)
        let repeated = try bench.answer(.get, "/page", fields: ["X-Limit": "7", "X-Limit": "8"])
        #expect(repeated.message == #"Field "X-Limit" is given 2 times; it must be given once"#)
    }
}

@Suite("The request's address and cookies", .noLeaks)
struct RequestAddressTests {
    private let bench = Bench()

    @Test(
        "Host, authority and URL are as the client wrote them",
        arguments: [
            ("/a%20b?x=1", "shop.example:8080", "shop.example", "http://shop.example:8080/a%20b?x=1"),
            ("/a%20b", "[2001:db8::1]", "[2001:db8::1]", "http://[2001:db8::1]/a%20b"),
            ("/a%20b", "[2001:db8::1]:80", "[2001:db8::1]", "http://[2001:db8::1]:80/a%20b"),
            ("http://other.example/a%20b", "shop.example", "other.example", "http://other.example/a%20b"),
            ("/a%20b?", nil, nil, "/a%20b?"),
        ] as [(String, String?, String?, String)])
    func url(target: String, field: String?, host: String?, url: String) throws {
        bench.gateway.get("/{name}") { request in .json([request.host, request.url, request.clientAddress]) }
        let reply = try bench.answer(.get, target, fields: field.map { [.host: $0] } ?? [:])
        #expect(try reply.json().value(at: "/data")?.elements.map(\.stringValue) == [host, url, "127.0.0.1"])
    }

    @Test("A field or cookie that is not UTF-8 is refused where it is read as a parameter")
    func bytes() throws {
        bench.gateway.get("/page") { request in
            let (field, cookie) = try request.parameters(
                .field("X-Name", as: String.self), .cookie("name", as: String.self))
            return .json([field, cookie])
        }
        var fields = HTTPFields()
        fields.append("X-Name", bytes: [0xe9])
        fields.append(.cookie, bytes: Array("other=".utf8) + [0xe9] + Array("; name=".utf8) + [0xe9])
        let reply = try bench.answer(.get, "/page", fields: fields)
        #expect(reply.status == 400)
        #expect(reply.message == #"Field "X-Name" must be UTF-8; Cookie "name" must be UTF-8"#)
        var others: HTTPFields = ["X-Name": "é"]
        others.append(.cookie, bytes: Array("other=".utf8) + [0xe9] + Array("; name=ü".utf8))
        #expect(try bench.answer(.get, "/page", fields: others)["/data"] == #"["é","ü"]"#)
    }

    @Test("Cookies are read in order, the first of a name first, with quotes kept and nameless ones skipped")
    func cookies() throws {
        bench.gateway.get("/page") { request in
            .json(
                request.cookies.map { "\($0.name)=\($0.value)" } + [
                    request.cookie("b") ?? "-", request.cookie("z") ?? "-",
                ])
        }
        let reply = try bench.answer(
            .get, "/page", fields: [.cookie: "a=1; b=\"2\";c=; =x; d; e=f=g", .cookie: "b=3"])
        #expect(reply["/data"] == #"["a=1","b=\"2\"","c=","e=f=g","b=3","\"2\"","-"]"#)
    }
}
