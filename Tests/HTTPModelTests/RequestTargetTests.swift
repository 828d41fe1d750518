import HTTPModel
import Testing

@Suite("Request target")
struct RequestTargetTests {
    @Test(
        "Text in none of the four forms is no target",
        arguments: [
            "", "a", "a:", "a/b", "**", "ftp://a/", "http://", "http:///", "http://u@a/", "/ b", "/#a", "/é",
            "/\u{7f}", "/\u{1f}",
            "a:b",
        ])
    func bad(_ text: String) {
        #expect(RequestTarget(text) == nil)
    }

    @Test("A target in origin-form has a path and an optional query")
    func origin() throws {
        let target = try #require(RequestTarget("/a/b%2F?c=d?e"))
        #expect(target.form == .origin)
        #expect(target.path == "/a/b%2F")
        #expect(target.query == "c=d?e")
        #expect(target.authorityBytes == nil)
        #expect(try #require(RequestTarget("/a")).query == nil)
        #expect(try #require(RequestTarget("/a?")).query == "")
        #expect(try #require(RequestTarget("//a")).path == "//a")
        #expect(try #require(RequestTarget("/!~")).path == "/!~")
    }

    @Test("A query begins after the first question mark, wherever it stands")
    func queryStart() throws {
        // The bytes beside the question mark in ASCII, and those that differ from it in one bit.
        for filler in [">", "@", "?", "/", "~", "_", "a", "=", ";", "7"] {
            for before in 0...20 {
                let path = "/" + String(repeating: filler == "?" ? "a" : filler, count: before)
                #expect(RequestTarget(path)?.path == path)
                #expect(RequestTarget(path)?.query == nil)
                for after in 0...10 {
                    let query = String(repeating: filler, count: after)
                    for origin in ["", "http://a"] {
                        let target = try #require(RequestTarget("\(origin)\(path)?\(query)"))
                        #expect(target.path == path && target.query == query, "\(target)")
                    }
                }
            }
        }
    }

    @Test("A target in absolute-form has an authority, and the path / if it names none")
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

    @Test("Targets in asterisk-form and authority-form have no path")
    func others() throws {
        let asterisk = try #require(RequestTarget("*"))
        #expect(asterisk.form == .asterisk)
        #expect(asterisk.path == "")
        let authority = try #require(RequestTarget("a:443"))
        #expect(authority.form == .authority)
        #expect(authority.path == "")
        #expect(authority.authorityBytes.map { String(decoding: $0, as: UTF8.self) } == "a:443")
        for text in ["a:1", "a:4430", "ab:4430", "abc:4430", "http:80", "example.test:443"] {
            #expect(RequestTarget(text)?.form == .authority, "\(text)")
            #expect(RequestTarget(text)?.authorityBytes?.elementsEqual(text.utf8) == true, "\(text)")
        }
    }

    @Test("A request is for the authority of its target, or for its Host without one")
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
        "Bytes that are no host with an optional port are refused",
        arguments: [
            "", ":80", "a,b", "u@a", "a/b", "a b", "a:65536", "a:x", "a:80:80", "a%4", "a%zz", "[", "[]",
            "[::1", "::1",
            "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1::2::3]", "[12345::]", "[:1]", "[1:]",
            "[1:2:3:4:5:6:7::8]",
            "[::1.2.3]", "[::1.2.3.256]", "[::01.2.3.4]", "[1.2.3.4]", "[::g]", "[v1.a]", "[::1]a",
            "[fe80::1%eth0]", "a,4142", "[:]", "[:1:2:3:4:5:6:7]", "[::1]]", "[1-2:3:4:5:6:7:8]",
            "[::1.2.3.4.5]", "[::1.2.3.4.]", "[::1.2.3.]", "[::1..2.3]", "[::1.2-3.4]", "[::1.2.3.4x]",
            "[::1.2.3.99999999999999999999]", "[::1.2.3.1000]",
        ])
    func bad(_ text: String) {
        #expect(!isValid(text))
    }

    @Test(
        "A host with an optional port is accepted",
        arguments: [
            "a", "a:", "a:0", "a:65535", "a.b-c_d~e", "a%2D", "a!$&'()*+;=b", "127.0.0.1:80", "[::]", "[::1]",
            "[1::]:80",
            "[1:2:3:4:5:6:7:8]", "[::ffff:192.0.2.1]", "[1:2:3:4:5:6:1.2.3.4]", "[ABCD:ef01::]",
            "[1:2:3:4:5:6:7::]", "[::255.255.255.255]", "[::0.10.200.99]",
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
        "A known method is recognized by its name",
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
        "Any other method keeps its name",
        arguments: ["GOT", "PUN", "HERD", "POSE", "PATCHY", "TRACK", "DELETF", "x"])
    func other(_ name: String) {
        let method = HTTPMethod(rawValue: name)
        #expect(method?.rawValue == name)
        #expect(method?.withBytes { Array($0) } == Array(name.utf8))
        #expect(method?.length == name.utf8.count)
        #expect(method?.isSafe == false && method?.isIdempotent == false)
        #expect(method == HTTPMethod(rawValue: name))
    }

    @Test("Methods are safe and idempotent as RFC 9110 9.2 has it")
    func properties() {
        let all: [HTTPMethod] = [.get, .head, .post, .put, .delete, .patch, .options, .trace, .connect]
        #expect(all.filter(\.isGet) == [.get] && all.filter(\.isHead) == [.head])
        #expect(all.filter(\.isSafe) == [.get, .head, .options, .trace])
        #expect(all.filter(\.isIdempotent) == [.get, .head, .put, .delete, .options, .trace])
        #expect(all.filter(\.anticipatesContent) == [.post, .put, .patch])
    }

    @Test("A status is 100 to 599", arguments: [-1, 0, 99, 600, 1000, 65636])
    func badStatus(_ code: Int) {
        #expect(HTTPStatus(code: code) == nil)
    }

    @Test("A status belongs to the class of its first digit")
    func classes() {
        for status in (100...599).compactMap(HTTPStatus.init(code:)) {
            let classes = [
                status.isInformational, status.isSuccess, status.isRedirection, status.isClientError,
                status.isServerError,
            ]
            #expect(classes == (1...5).map { $0 == status.code / 100 }, "\(status.code)")
        }
    }

    @Test("A code without a registered phrase has the name of its class")
    func unregistered() {
        let codes = [199, 299, 399, 499, 599].compactMap(HTTPStatus.init(code:))
        #expect(
            codes.map(\.description) == [
                "199 Informational", "299 Success", "399 Redirection", "499 Client Error", "599 Server Error",
            ])
        #expect(HTTPStatus.clientClosedRequest.code == 499)
    }

    @Test("The statuses that have a constant have the codes and phrases of the IANA registry")
    func registry() {
        let statuses: [HTTPStatus] = [
            .continue, .switchingProtocols, .earlyHints, .ok, .created, .accepted,
            .nonAuthoritativeInformation, .noContent, .resetContent, .partialContent, .multipleChoices,
            .movedPermanently, .found, .seeOther, .notModified, .temporaryRedirect, .permanentRedirect,
            .badRequest, .unauthorized, .paymentRequired, .forbidden, .notFound, .methodNotAllowed,
            .notAcceptable, .proxyAuthenticationRequired, .requestTimeout, .conflict, .gone,
            .lengthRequired, .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType,
            .rangeNotSatisfiable, .expectationFailed, .misdirectedRequest, .unprocessableContent, .locked,
            .failedDependency, .tooEarly, .upgradeRequired, .preconditionRequired, .tooManyRequests,
            .requestHeaderFieldsTooLarge, .unavailableForLegalReasons, .internalServerError,
            .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout, .httpVersionNotSupported,
            .insufficientStorage, .loopDetected, .networkAuthenticationRequired,
        ]
        #expect(
            statuses.map(\.description).joined(separator: ", ") == """
                100 Continue, 101 Switching Protocols, 103 Early Hints, 200 OK, 201 Created, 202 Accepted, \
                203 Non-Authoritative Information, 204 No Content, 205 Reset Content, 206 Partial Content, \
                300 Multiple Choices, 301 Moved Permanently, 302 Found, 303 See Other, 304 Not Modified, \
                307 Temporary Redirect, 308 Permanent Redirect, 400 Bad Request, 401 Unauthorized, \
                402 Payment Required, 403 Forbidden, 404 Not Found, 405 Method Not Allowed, \
                406 Not Acceptable, 407 Proxy Authentication Required, 408 Request Timeout, 409 Conflict, \
                410 Gone, 411 Length Required, 412 Precondition Failed, 413 Content Too Large, \
                414 URI Too Long, 415 Unsupported Media Type, 416 Range Not Satisfiable, \
                417 Expectation Failed, 421 Misdirected Request, 422 Unprocessable Content, 423 Locked, \
                424 Failed Dependency, 425 Too Early, 426 Upgrade Required, 428 Precondition Required, \
                429 Too Many Requests, 431 Request Header Fields Too Large, \
                451 Unavailable For Legal Reasons, 500 Internal Server Error, 501 Not Implemented, \
                502 Bad Gateway, 503 Service Unavailable, 504 Gateway Timeout, \
                505 HTTP Version Not Supported, 507 Insufficient Storage, 508 Loop Detected, \
                511 Network Authentication Required
                """)
    }

    @Test("A version is written as in a request line")
    func versions() {
        #expect(HTTPVersion.http10.description == "HTTP/1.0")
        #expect(HTTPVersion.http11.description == "HTTP/1.1")
    }

    @Test("The body of a response is as long as its pieces together")
    func bodyCount() {
        #expect(HTTPResponse(status: .ok).bodyCount == 0)
        #expect(HTTPResponse(status: .ok, body: [[1, 2], [], [3, 4, 5]]).bodyCount == 5)
    }

    @Test("A response has no body with 1xx, 204 and 304")
    func withoutBody() {
        let bodiless = (100...599).compactMap(HTTPStatus.init(code:)).filter(\.forbidsBody)
        #expect(bodiless.map(\.code) == Array(100...199) + [204, 304])
    }
}
