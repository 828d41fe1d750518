import FoundationEssentials
import HTTPModel
import RxTesting
import Testing

@testable import Networking

@Suite("Request without a target", .noLeaks)
struct HTTPRequestTests {
    private func settings(_ baseURL: String = "http://api.test:8080") throws -> CallSettings {
        CallSettings(
            upstream: try Upstream(name: "api", baseURL: baseURL), policy: CallPolicy(),
            plugins: PluginList([]),
            jitter: { $0 }, fields: [.accept: "application/json", .acceptEncoding: "identity"],
            fieldsWithoutContext: [.via: GatewayName.standard.via])
    }

    private func call(_ request: HTTPRequest, at baseURL: String = "http://api.test:8080") throws
        -> TransportCall
    {
        try request.call(try settings(baseURL), context: nil)
    }

    private func fault(_ request: HTTPRequest, at baseURL: String = "http://api.test:8080") throws
        -> RequestFault
    {
        let settings = try settings(baseURL)
        do throws(RequestFault) {
            let call = try request.call(settings, context: nil)
            throw RequestFault(.url, "no fault: \(call.path)")
        } catch {
            return error
        }
    }

    @Test(
        "An invalid URL fails the call instead of trapping",
        arguments: [
            "", "api", "/path", "http://", "http:///x", "ftp://api.test:8080/", "http://user@api.test:8080/",
            "http://api.test:8080/a\u{0}b", "http://api.test:8080/%zz", "http://한글.test:8080/",
            "http://api.test:99999/", "http://api.test:8080/a\r\nb",
            "http://api.test:8080/../x", "http://api.test:8080/x%2F../y", "http://api.test:8080/%0A",
        ])
    func badAddress(url: String) throws {
        let fault = try fault(HTTPRequest(url: url))
        #expect(fault.part == .url)
        #expect(!fault.message.contains("no fault"))
    }

    @Test(
        "A URL with escaped slashes, empty segments, brackets, non-ASCII text or a fragment is accepted",
        arguments: [
            ("/projects/group%2Fproject", "/projects/group%2Fproject"), ("/@scope%2Fname", "/@scope%2Fname"),
            ("//a///b", "//a///b"), ("/p#x", "/p"), ("/p?a#x?y", "/p?a"), ("#x", "/"),
            ("/a|b/[c]?d[]=|", "/a%7Cb/%5Bc%5D?d%5B%5D=%7C"), ("/한글 x", "/%ED%95%9C%EA%B8%80%20x"),
        ])
    func ordinary(path: String, target: String) throws {
        let call = try call(HTTPRequest(url: "http://api.test:8080\(path)"))
        #expect(String(decoding: call.target, as: UTF8.self) == target)
    }

    @Test("Adding a query drops the fragment, descriptions omit both, and a base URL may not have a fragment")
    func fragment() throws {
        let request = HTTPRequest(url: "http://api.test:8080/p?a=1#secret")
        #expect("\(request)" == "GET http://api.test:8080/p")
        #expect("\(HTTPRequest(url: "http://a/#secret"))" == "GET http://a/")
        #expect(request.addQuery(["b": 2]).url == "http://api.test:8080/p?a=1&b=2")
        #expect(try fault(HTTPRequest(baseURL: "http://api.test:8080/v1#x", path: "/p")).part == .url)
    }

    @Test("A request outside the origin or base path of its settings is rejected")
    func otherOrigin() throws {
        for url in ["http://other.test:8080/", "http://api.test/", "http://api.test:8081/"] {
            #expect(try fault(HTTPRequest(url: url)).message.contains("another origin"))
        }
        for url in ["http://api.test:8080/", "http://api.test:8080/v10/x", "http://api.test:8080/x"] {
            #expect(
                try fault(HTTPRequest(url: url), at: "http://api.test:8080/v1").message.contains("leaves"))
        }
        for path in ["/v1", "/v1?a=b", "/v1/x"] {
            let call = try call(
                HTTPRequest(url: "http://API.test:8080\(path)"), at: "http://api.test:8080/v1")
            #expect(String(decoding: call.target, as: UTF8.self) == path)
        }
    }

    @Test("An invalid header fails the call")
    func badHeaders() throws {
        let request = HTTPRequest(url: "http://api.test:8080/")
        #expect(try fault(request.setHeader("no name", "x")).part == .headers)
        #expect(try fault(request.setHeader("Host", "x")).part == .headers)
        #expect(try fault(request.setAuthToken("x\r\nHost: y")).part == .headers)
    }

    @Test("A body that cannot be encoded fails the call with the encoder's error")
    func badBody() throws {
        let fault = try fault(HTTPRequest(url: "http://api.test:8080/").setHttpBody([Double.nan]))
        #expect(fault.part == .body)
        #expect(fault.underlying is EncodingError)
    }

    @Test("Builders return a new request and leave the original unchanged")
    func builders() throws {
        let plain = HTTPRequest(url: "http://api.test:8080/daily/path?a=1")
        let post = plain.setHttpMethod(.POST).setContentType(.json).setAuthToken("secret").setHttpBody([
            "user": "u1"
        ])
        .setHeader("X-Key", "1").setHeader("x-key", "2").addHeader("X-Key", "3").setTimeout(.seconds(3))
        .setValidation(.successCodes)
        #expect(plain.method == .get)
        #expect(plain.headers.isEmpty)
        #expect(plain.body.isNone)

        let call = try call(post)
        #expect(call.method == .post)
        #expect(String(decoding: call.target, as: UTF8.self) == "/daily/path?a=1")
        #expect(call.body.inMemory.map { String(decoding: $0, as: UTF8.self) } == #"{"user":"u1"}"#)
        #expect(call.fields[.authorization] == "Bearer secret")
        #expect(call.fields.values(of: .contentType) == ["application/json"])
        #expect(call.fields.values(of: "X-Key") == ["2", "3"])
        #expect(call.fields[.acceptEncoding] != nil)
        #expect(call.timeout == .seconds(3))
        #expect(call.validation == .successCodes)
        #expect(!"\(post)".contains("secret"))
        #expect("\(post)" == "POST http://api.test:8080/daily/path")
    }

    @Test("A model as the body sets the content type unless the request has one")
    func contentType() throws {
        let request = HTTPRequest(url: "http://api.test:8080/", method: .post)
        #expect(request.setHttpBody([1]).headers[.contentType] == "application/json")
        #expect(
            request.setContentType(.init("application/vnd.api+json")).setHttpBody([1]).headers[.contentType]
                == "application/vnd.api+json")
        #expect(request.setHttpBody("abc".utf8).headers[.contentType] == nil)
        #expect(request.setContentType(.form).headers[.contentType] == "application/x-www-form-urlencoded")
        #expect(
            request.setContentType(.multipart(boundary: "b")).headers[.contentType]
                == "multipart/form-data; boundary=b")
    }

    @Test("Bytes are sent as bytes, and a list of numbers as JSON")
    func bytes() throws {
        let request = HTTPRequest(url: "http://api.test:8080/", method: .post)
        let bytes: [UInt8] = [1, 2]
        for sent in [
            request.setHttpBody(bytes), request.setHttpBody(bytes[...]), request.setHttpBody(Data(bytes)),
            request.setHttpBody(ContiguousArray(bytes)),
        ] {
            #expect(sent.body.inMemory == [1, 2])
            #expect(sent.headers.isEmpty)
        }
        let numbers = [1, 2]
        #expect(request.setHttpBody(numbers).body.inMemory == Array("[1,2]".utf8)[...])
    }

    @Test("A path value that could leave its segment fails the call")
    func badPathValue() throws {
        for value in ["", "..", "a/b", "%2e%2e"] {
            let request = HTTPRequest(baseURL: "http://api.test:8080", path: "/users/\(value)")
            #expect(try fault(request).part == .url)
        }
    }

    @Test("A base URL, a path and query parameters are joined into one URL")
    func address() throws {
        let request = HTTPRequest(baseURL: "http://api.test:8080/v1/", path: "users/\("a b")/\(7)")
            .addQuery(["nx": 60, "q": "a/b c"]).addQuery(["page": 2])
        #expect(request.url == "http://api.test:8080/v1/users/a%20b/7?nx=60&q=a/b%20c&page=2")
        #expect(try call(request).query == "nx=60&q=a/b%20c&page=2")
        #expect(HTTPRequest(url: "http://a?").addQuery(["b": 1]).url == "http://a?b=1")
        #expect(HTTPRequest(url: "http://a").addQuery([:]).url == "http://a")
    }

    @Test("A path that is only a query follows the base path directly")
    func queryAsPath() throws {
        for base in ["http://api.test:8080/echo", "http://api.test:8080/echo/"] {
            let request = HTTPRequest(baseURL: base, path: "?q=1").addQuery(["r": 2])
            #expect(request.url == "http://api.test:8080/echo?q=1&r=2")
        }
        #expect(try call(HTTPRequest(baseURL: "http://api.test:8080", path: "?q=1")).path == "/")
    }

    @Test("CONNECT is refused, and TRACE only with a body")
    func methods() throws {
        func request(_ method: HTTPMethod) -> HTTPRequest {
            HTTPRequest(url: "http://api.test:8080/x", method: method)
        }
        #expect(try fault(request(.connect)).part == .url)
        #expect(try fault(request(.trace).setHttpBody("x".utf8)).part == .body)
        #expect(try call(request(.trace)).method == .trace)
    }

    @Test("A request accepts the same tasks as a target")
    func task() throws {
        let post = HTTPRequest(url: "http://api.test:8080/x?a=1", method: .post)
        let form = post.setParameters(["b": "c d"], encoding: .url())
        #expect(form.url == post.url)
        #expect(try form.body.collect() == Array("b=c%20d".utf8)[...])
        #expect(form.headers[.contentType] == "application/x-www-form-urlencoded")
        let both = post.setContentType("x/y").setTask(.json(["k": 1]).adding(query: ["b": 2]))
        #expect(both.url == "http://api.test:8080/x?a=1&b=2")
        #expect(try both.body.collect() == Array(#"{"k":1}"#.utf8)[...])
        #expect(both.headers.values(of: .contentType) == ["x/y"])
        #expect(try fault(post.setTask(.file("/nowhere/at/all"))).part == .body)
        #expect(try fault(post.addQuery(["n": Double.nan])).part == .parameters)
    }

    @Test("If a request has several faults, the first is reported")
    func faults() throws {
        let request = HTTPRequest(baseURL: "http://api.test:8080", path: "/\("..")").setHttpBody([Double.nan])
        #expect(try fault(request).part == .url)
    }

    @Test("A call converts to a request and back to the same call")
    func roundTrip() throws {
        let settings = try settings("http://api.test:8080/v1")
        let context = CallContext(
            requestID: "r1", forwarding: [.accept: "text/csv", .acceptLanguage: "ko", "X-Key": "theirs"])
        let request = HTTPRequest(url: "http://api.test:8080/v1/x?a=b", method: .put)
            .setHeader("X-Key", "ours").setHttpBody("abc".utf8).setTimeout(.seconds(2))
        let call = try request.call(
            settings, context: context, envelope: .genericResponse, allowsEmptyBody: true)
        #expect(call.fields[.accept] == nil)
        #expect(call.contextFields["X-Key"] == nil)
        let again = try call.request.call(settings, replacing: call)
        #expect(again.method == .put)
        #expect(again.target == call.target)
        #expect(again.body.inMemory == call.body.inMemory)
        #expect(again.fields == call.fields)
        #expect(again.contextFields == call.contextFields)
        #expect(again.timeout == .seconds(2))
        #expect(again.allowsEmptyBody)
        #expect(again.context === context)
    }

    @Test("The fields of an adapted request replace the fields of the call and of its context")
    func adapted() throws {
        let settings = try settings()
        let context = CallContext(
            requestID: "r1", forwarding: [.authorization: "Bearer theirs", .acceptLanguage: "ko"],
            authorizationUpstreams: ["api"])
        let call = try HTTPRequest(url: "http://api.test:8080/x").call(settings, context: context)
        #expect(call.contextFields[.authorization] == "Bearer theirs")
        var request = call.request.setAuthToken("ours")
        request.headers[.acceptEncoding] = nil
        let adapted = try request.call(settings, replacing: call)
        #expect(adapted.fields.values(of: .authorization) == ["Bearer ours"])
        #expect(adapted.fields[.acceptEncoding] == nil)
        #expect(adapted.fields[.accept] == "application/json")
        #expect(adapted.contextFields[.authorization] == nil)
        #expect(adapted.contextFields[.acceptLanguage] == "ko")
        #expect(adapted.contextFields[.xRequestID] == "r1")
    }

    @Test("A request to another origin uses the settings of that origin")
    func redirected() throws {
        let call = try call(HTTPRequest(url: "http://api.test:8080/x"))
        var request = call.request
        request.url = "http://other.test/y"
        #expect(try request.origin() == "http://other.test")
        let moved = try request.call(try settings("http://other.test"), replacing: call)
        #expect(moved.upstream.baseURL.host == "other.test")
        #expect(moved.path == "/y")
    }
}
