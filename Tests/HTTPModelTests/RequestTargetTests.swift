import HTTPModel
import Testing

@Suite("Request target")
struct RequestTargetTests {
    @Test(
        "What has none of the four forms is no target",
        arguments: [
            "", "a", "a/b", "**", "ftp://a/", "http://", "http:///", "http://u@a/", "/ b", "/#a", "/é", "a:b",
        ])
    func bad(_ text: String) {
        #expect(RequestTarget(text) == nil)
    }

    @Test("Origin-form has a path and maybe a query")
    func origin() throws {
        let target = try #require(RequestTarget("/a/b%2F?c=d?e"))
        #expect(target.form == .origin)
        #expect(target.path == "/a/b%2F")
        #expect(target.query == "c=d?e")
        #expect(target.authorityBytes == nil)
        #expect(try #require(RequestTarget("/a")).query == nil)
        #expect(try #require(RequestTarget("/a?")).query == "")
        #expect(try #require(RequestTarget("//a")).path == "//a")
    }

    @Test("Absolute-form has an authority, and a path even where it is not written")
    func absolute() throws {
        let target = try #require(RequestTarget("HTTP://a:80/b?c"))
        #expect(target.form == .absolute)
        #expect(target.authorityBytes.map { String(decoding: $0, as: UTF8.self) } == "a:80")
        #expect(target.path == "/b")
        #expect(target.query == "c")
        let bare = try #require(RequestTarget("https://a?c"))
        #expect(bare.path == "/")
        #expect(bare.query == "c")
        #expect(bare.authorityBytes.map { String(decoding: $0, as: UTF8.self) } == "a")
        #expect(try #require(RequestTarget("http://a")).path == "/")
    }

    @Test("Asterisk and authority forms have no path")
    func others() throws {
        let asterisk = try #require(RequestTarget("*"))
        #expect(asterisk.form == .asterisk)
        #expect(asterisk.path == "")
        let authority = try #require(RequestTarget("a:443"))
        #expect(authority.form == .authority)
        #expect(authority.path == "")
        #expect(authority.authorityBytes.map { String(decoding: $0, as: UTF8.self) } == "a:443")
    }

    @Test("A request is for the authority of its target, else for its Host")
    func authority() throws {
        let absolute = HTTPRequestHead(
            method: .get, target: try #require(RequestTarget("http://b/")), fields: ["Host": "a"])
        #expect(absolute.authorityBytes.map { String(decoding: $0, as: UTF8.self) } == "b")
        let origin = HTTPRequestHead(
            method: .get, target: try #require(RequestTarget("/")), fields: ["Host": "a"])
        #expect(origin.authorityBytes.map { String(decoding: $0, as: UTF8.self) } == "a")
    }
}

@Suite("Authority")
struct AuthorityTests {
    @Test(
        "These are no host",
        arguments: [
            "", ":80", "a,b", "u@a", "a/b", "a b", "a:65536", "a:x", "a:80:80", "a%4", "a%zz", "[", "[]",
            "[::1", "::1",
            "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1::2::3]", "[12345::]", "[:1]", "[1:]",
            "[1:2:3:4:5:6:7::8]",
            "[::1.2.3]", "[::1.2.3.256]", "[::01.2.3.4]", "[1.2.3.4]", "[::g]", "[v1.a]", "[::1]a",
            "[fe80::1%eth0]",
        ])
    func bad(_ text: String) {
        #expect(!isValid(text))
    }

    @Test(
        "These are a host",
        arguments: [
            "a", "a:", "a:0", "a:65535", "a.b-c_d~e", "a%2D", "a!$&'()*+;=b", "127.0.0.1:80", "[::]", "[::1]",
            "[1::]:80",
            "[1:2:3:4:5:6:7:8]", "[::ffff:192.0.2.1]", "[1:2:3:4:5:6:1.2.3.4]", "[ABCD:ef01::]",
            "[1:2:3:4:5:6:7::]",
        ])
    func good(_ text: String) {
        #expect(isValid(text))
    }

    private func isValid(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { Authority.isValid($0) }
    }
}

@Suite("Method and status")
struct MethodAndStatusTests {
    @Test("A method is a token", arguments: ["", "G T", "GET ", "É", "A/B"])
    func badMethod(_ text: String) {
        #expect(HTTPMethod(rawValue: text) == nil)
    }

    @Test(
        "A known method is itself by any way, and its name is kept",
        arguments: [
            ("GET", HTTPMethod.get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("DELETE", .delete),
            ("PATCH", .patch), ("OPTIONS", .options), ("TRACE", .trace), ("CONNECT", .connect),
        ])
    func known(_ name: String, _ method: HTTPMethod) {
        #expect(HTTPMethod(rawValue: name) == method)
        #expect(method.rawValue == name)
        #expect(HTTPMethod(rawValue: name.lowercased()) != method)
        #expect(method.withBytes { Array($0) } == Array(name.utf8))
        #expect(method.length == name.utf8.count)
    }

    @Test(
        "Any other method is kept too",
        arguments: ["GOT", "PUN", "HERD", "POSE", "PATCHY", "TRACK", "DELETF", "x"])
    func other(_ name: String) {
        let method = HTTPMethod(rawValue: name)
        #expect(method?.rawValue == name)
        #expect(method?.withBytes { Array($0) } == Array(name.utf8))
        #expect(method?.length == name.utf8.count)
        #expect(method?.isSafe == false && method?.isIdempotent == false)
        #expect(method == HTTPMethod(rawValue: name))
    }

    @Test("Safe and idempotent are as RFC 9110 9.2 has them")
    func properties() {
        let all: [HTTPMethod] = [.get, .head, .post, .put, .delete, .patch, .options, .trace, .connect]
        #expect(all.filter(\.isSafe) == [.get, .head, .options, .trace])
        #expect(all.filter(\.isIdempotent) == [.get, .head, .put, .delete, .options, .trace])
        #expect(all.filter(\.anticipatesContent) == [.post, .put, .patch])
    }

    @Test("A status is 100 to 599", arguments: [-1, 0, 99, 600, 1000, 65636])
    func badStatus(_ code: Int) {
        #expect(HTTPStatus(code: code) == nil)
    }

    @Test("A status knows its class and phrase")
    func status() {
        #expect(HTTPStatus(code: 431)?.description == "431 Request Header Fields Too Large")
        #expect(HTTPStatus(code: 499)?.description == "499 Client Error")
        #expect(HTTPStatus(code: 100) == .continue)
        #expect(HTTPStatus.earlyHints.isInformational && HTTPStatus.found.isRedirection)
        #expect(
            HTTPStatus.notFound.isClientError && HTTPStatus.badGateway.isServerError
                && HTTPStatus.ok.isSuccess)
        let bodiless = (100...599).compactMap(HTTPStatus.init(code:)).filter(\.forbidsBody)
        #expect(bodiless.map(\.code) == Array(100...199) + [204, 304])
    }
}
