import FoundationEssentials
import HTTPModel
import JSONBytes
import JSONCoding
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Request of a call", .noLeaks)
struct RequestTests {
    /// Returns the call that was sent and the error, if any.
    private func sent(_ target: Anything, baseURL: String? = nil) throws -> (TransportCall?, NetworkError?) {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(.json("{}"))
        let provider = try Provider<Anything>(upstream: "any", baseURL: baseURL, transport: transport)
        let probe = Probe(provider.rx.request(target))
        return (transport.attempts.first?.call, probe.networkError)
    }

    private func call(_ target: Anything, baseURL: String? = nil) throws -> TransportCall {
        let (call, error) = try sent(target, baseURL: baseURL)
        return try #require(call, "\(String(describing: error))")
    }

    private func refusal(_ target: Anything) throws -> NetworkError {
        let (call, error) = try sent(target)
        #expect(call == nil)
        return try #require(error)
    }

    private func body(_ call: TransportCall) -> String? {
        call.body.inMemory.map { String(decoding: $0, as: UTF8.self) }
    }

    private func text(_ call: TransportCall) -> String {
        String(decoding: call.target, as: UTF8.self)
    }

    // MARK: - Cold calls

    @Test("Nothing is sent before subscription, and each subscription sends anew")
    func cold() throws {
        let bench = try Bench()
        bench.transport.answer(.json(#"{"status":200,"data":{"a":1}}"#))
        let single = bench.provider.rx.request(.weights("2026-11-20", keyword: "recent"))
        #expect(bench.transport.attempts.isEmpty)
        let first = Probe(single)
        let second = Probe(single)
        #expect(bench.transport.attempts.count == 2)
        #expect(first.value?.statusCode == 200)
        #expect(second.value?.statusCode == 200)
    }

    @Test("A request that cannot be built fails its subscription, and nothing is sent")
    func unbuilt() throws {
        let bench = try Bench()
        bench.transport.answer(.json("{}"))
        let single = bench.provider.rx.request(.day("../../admin"))
        let error = try #require(Probe(single).networkError)
        #expect(bench.transport.attempts.isEmpty)
        #expect(error.kind == .networkFail)
        #expect(error.reason == .requestError)
        #expect(error.attempts == 0)
        #expect(!error.isRetryable)
        #expect(!error.message.contains("admin"))
    }

    // MARK: - Base URL

    @Test(
        "An invalid base URL is rejected when the provider is created",
        arguments: [
            "", "diary", "ftp://diary", "http://", "http://user@diary", "http://diary/?a=1",
            "http://diary/#x",
            "http://diary:99999", "http://diary/a b", "http://diary/../x", "http://diary/%2e%2e/x",
            "http://diary//x",
        ])
    func badBaseURL(text: String) {
        #expect(throws: Upstream.InvalidBaseURL.self) {
            try Provider<Anything>(
                upstream: "any", baseURL: text, transport: StubTransport(scheduler: VirtualTime()))
        }
    }

    @Test("A target's invalid base URL fails the call, and only the underlying error contains the URL")
    func badBaseURLOfATarget() throws {
        let error = try refusal(Anything(baseURL: "diary.internal"))
        #expect(error.reason == .requestError)
        #expect(error.message == "the address of the upstream is invalid")
        let fault = try #require(error.underlying as? Upstream.InvalidBaseURL)
        #expect(fault.upstream == "any")
        #expect(
            fault.description
                == "the address of upstream any, 'diary.internal', is invalid: a URL begins with http:// or https://"
        )
    }

    @Test(
        "An invalid base URL is shown without password, query and control characters",
        arguments: [
            ("http://me:secret@diary/x", "http://me:***@diary/x"),
            ("http://secret@diary", "http://***@diary"),
            ("http://me:se/cr?et@#@diary/x", "http://me:***@diary/x"),
            ("me:secret@diary", "me:***@diary"),
            ("http://diary/x?key=secret", "http://diary/x?***"),
            ("http://diary/x?key=sec:ret@x", "http://***@x"),
            ("http://diary/#secret", "http://diary/#***"),
            ("http://diary/a\nb\u{1b}", "http://diary/a\u{fffd}b\u{fffd}"),
            (String(repeating: "a", count: 300), String(repeating: "a", count: 256) + "..."),
            ("", ""),
        ])
    func maskedBaseURL(text: String, shown: String) throws {
        let error = #expect(throws: Upstream.InvalidBaseURL.self) {
            try Upstream(name: "any", baseURL: text)
        }
        #expect(error?.value == shown)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(
        "Base URL and path are joined with one slash",
        arguments: [
            ("http://any.test", "/x", "/x"), ("http://any.test/", "/x", "/x"),
            ("http://any.test/v1", "/x", "/v1/x"),
            ("http://any.test/v1/", "x", "/v1/x"), ("http://any.test/v1/", "", "/v1"),
            ("http://any.test", "", "/"),
            ("http://any.test/v1", "/", "/v1/"), ("http://any.test", "/x/", "/x/"),
        ])
    func join(base: String, path: String, expected: String) throws {
        #expect(text(try call(Anything(path: RequestPath(encoded: path), baseURL: base))) == expected)
        #expect(text(try call(Anything(path: RequestPath(encoded: path)), baseURL: base)) == expected)
    }

    @Test(
        "A provider's base URL replaces its targets', and providers with equal base URLs share an upstream"
    )
    func override() throws {
        let first = try call(Anything(), baseURL: "http://127.0.0.1:9001/v2")
        let second = try call(Anything(), baseURL: "http://127.0.0.1:9001/v2")
        #expect(text(first) == "/v2/x")
        #expect(first.upstream === second.upstream)
        #expect(first.upstream.baseURL.port == 9001)
        #expect(first.upstream.name == "any")
        #expect(try call(Anything()).upstream.id != first.upstream.id)
    }

    @Test("A provider serves targets with more base URLs than it caches")
    func manyBaseURLs() throws {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(.json("{}"))
        let provider = try Provider<Anything>(upstream: "any", transport: transport)
        for number in 0..<3000 {
            #expect(Probe(provider.rx.request(Anything(baseURL: "http://host\(number).test"))).value != nil)
        }
        #expect(Probe(provider.rx.request(Anything(baseURL: "http://host0.test"))).value != nil)
    }

    // MARK: - Path

    @Test(
        "A path value that could leave its segment fails the call",
        arguments: [
            "", ".", "..", "a/b", "/", "\\", "a\\b", "a\u{0}b", "a\nb", "%2e", "%2E%2e", "%2f", "a%5cb",
            "%00", "%252e%252e",
            "%25252f", "\u{7f}",
        ])
    func badPathValue(value: String) throws {
        let error = try refusal(Anything(path: "/users/\(value)/diary"))
        #expect(error.reason == .requestError)
        #expect(error.kind == .networkFail)
    }

    @Test("A path value is one percent-encoded segment, whatever it contains")
    func pathValue() throws {
        #expect(
            text(try call(Anything(path: "/users/\("a b?c#d&é%")/x"))) == "/users/a%20b%3Fc%23d%26%C3%A9%25/x"
        )
        #expect(text(try call(Anything(path: "/users/\(7)/\("...")"))) == "/users/7/...")
        #expect(text(try call(Anything(path: "/day/\("오늘")"))) == "/day/%EC%98%A4%EB%8A%98")
    }

    @Test(
        "A path that leaves the base path or is malformed fails the call, however it is spelled",
        arguments: [
            "/../x", "/a/../../x", "/%2e%2e/x", "/.%2E/x", "/./x", "..\\x", "/a%2F..%2fx", "/%2e%2e%5cx",
            "/a/..#b",
            "/%00", "/a/%0d%0A", "/%7F", "/%zz", "/%4", "/é%", "/a\r\nHost: evil.test", "/é\u{7f}",
            "?a=\u{1}",
            "@evil.test/",
        ])
    func badPath(path: String) throws {
        // The last path becomes valid when its slash is added. All others are rejected.
        if path == "@evil.test/" {
            #expect(text(try call(Anything(path: RequestPath(encoded: path)))) == "/@evil.test/")
        } else {
            #expect(try refusal(Anything(path: RequestPath(encoded: path))).reason == .requestError)
        }
    }

    @Test(
        "A path is percent-encoded and keeps its escapes and empty segments",
        arguments: [
            ("/projects/group%2Fproject", "/projects/group%2Fproject"), ("/@scope%2fname", "/@scope%2fname"),
            ("//evil.test/x", "//evil.test/x"), ("/a//b/", "/a//b/"), ("/a%5Cb", "/a%5Cb"), ("/a\\b", "/a/b"),
            ("/a b/é|[1]", "/a%20b/%C3%A9%7C%5B1%5D"), ("/a?b[c]=d|e", "/a?b%5Bc%5D=d%7Ce"), ("/a#b", "/a"),
            ("é?a=b#c", "/%C3%A9?a=b"),
        ])
    func ordinaryPath(path: String, target: String) throws {
        #expect(text(try call(Anything(path: RequestPath(encoded: path)))) == target)
    }

    @Test("An interpolated value stays in its segment, whatever the literals around it")
    func strictValues() throws {
        #expect(text(try call(Anything(path: "/a b/\("c d")%2F\("e#f")|"))) == "/a%20b/c%20d%2Fe%23f%7C")
        for value in ["a/b", "a%2Fb", "a\\b", "..", "%2e", "", "a\r\n"] {
            #expect(try refusal(Anything(path: "/x|/\(value)")).reason == .requestError)
        }
    }

    @Test("A base URL may have an escaped slash, but no empty segment, fragment or unencoded byte")
    func basePath() throws {
        #expect(throws: Never.self) { try Upstream(name: "a", baseURL: "http://a/projects/g%2Fp") }
        #expect(throws: Upstream.InvalidBaseURL.self) {
            try Upstream(name: "a", baseURL: "unix:/run/a\0.sock")
        }
        for text in ["http://a//b", "http://a/b//c/", "http://a/b#c", "http://a/[", "http://a/%2e%2e/"] {
            #expect(throws: Upstream.InvalidBaseURL.self) { try Upstream(name: "a", baseURL: text) }
        }
    }

    @Test("A URL of more than 8 KiB fails the call")
    func longURL() throws {
        let path = RequestPath(encoded: "/" + String(repeating: "a", count: 8191))
        #expect(text(try call(Anything(path: path))).utf8.count == 8192)
        #expect(try refusal(Anything(path: RequestPath(encoded: path.text + "a"))).reason == .requestError)
    }

    @Test("A query and a form of any length are written completely", arguments: [100, 500, 1000, 1100, 2500])
    func longParameters(count: Int) throws {
        let value = String(repeating: "v", count: count) + " " + String(repeating: "w", count: count)
        let query = Anything(
            path: RequestPath(encoded: "/" + String(repeating: "p", count: count / 2)),
            task: .parameters(["a": value, "b": "1"], encoding: .query))
        let encoded = value.replacing(" ", with: "%20")
        #expect(text(try call(query)) == "/" + String(repeating: "p", count: count / 2) + "?a=\(encoded)&b=1")
        let form = Anything(method: .post, task: .parameters(["a": value, "b": "1"], encoding: .form))
        #expect(body(try call(form)) == "a=\(value.replacing(" ", with: "+"))&b=1")
    }

    // MARK: - Parameters

    @Test("A reserved character is encoded at any position in a value of any length")
    func parameterOfAnyLength() throws {
        for length in 0...20 {
            let plain = String(repeating: "a", count: length)
            #expect(
                text(try call(Anything(task: .parameters(["v": plain], encoding: .query)))) == "/x?v=\(plain)"
            )
            for place in 0..<length {
                let value = plain.prefix(place) + "&" + plain.dropFirst(place + 1)
                let encoded = value.replacing("&", with: "%26")
                #expect(
                    text(try call(Anything(task: .parameters(["v": value], encoding: .query))))
                        == "/x?v=\(encoded)")
            }
        }
    }

    @Test("A task that is used for several calls is written the same way each time")
    func keptTask() throws {
        for (encoding, written) in [
            (ParameterEncoding.query, "/x?a=1&b=x%20y"), (.form, "a=1&b=x+y"), (.json, #"{"a":1,"b":"x y"}"#),
        ] {
            let kept = RequestTask.parameters(["a": 1, "b": "x y"], encoding: encoding)
            for _ in 1...3 {
                let call = try call(Anything(method: .post, task: kept))
                #expect(
                    (call.body.inMemory.map { String(decoding: $0, as: UTF8.self) } ?? text(call)) == written)
            }
        }
    }

    @Test("Query parameters are encoded in order, and nil values are left out")
    func query() throws {
        let none: String? = nil
        let target = Anything(
            task: .parameters(
                ["b": "x y&z", "a": 3, "none": none, "flag": true, "n": 1.5, "한": "글", "tag": ["p", "q"]],
                encoding: .query))
        #expect(
            text(try call(target)) == "/x?b=x%20y%26z&a=3&flag=true&n=1.5&%ED%95%9C=%EA%B8%80&tag=p&tag=q")
        #expect(try call(target).body.isNone)
        #expect(text(try call(Anything(task: .parameters(["none": none], encoding: .query)))) == "/x")
    }

    @Test("Lists and Booleans are written as the encoding specifies")
    func queryOptions() throws {
        let encoding = ParameterEncoding.query(lists: .brackets, booleans: .numeric)
        let target = Anything(
            task: .parameters(["tag": ["p", "q"], "on": true, "off": false], encoding: encoding))
        #expect(text(try call(target)) == "/x?tag%5B%5D=p&tag%5B%5D=q&on=1&off=0")
    }

    @Test("A form is sent in the body")
    func form() throws {
        let call = try call(
            Anything(method: .post, task: .parameters(["a": "x y+z", "b": "1"], encoding: .form)))
        #expect(body(call) == "a=x+y%2Bz&b=1")
        #expect(call.fields[.contentType] == "application/x-www-form-urlencoded")
        #expect(text(call) == "/x")
    }

    @Test("Parameters encoded as JSON form one object in order")
    func jsonParameters() throws {
        let call = try call(
            Anything(
                method: .post,
                task: .parameters(
                    ["b": "\"q\"", "a": 3, "l": [1, 2], "f": false, "n": 0.5], encoding: .json)))
        #expect(body(call) == #"{"b":"\"q\"","a":3,"l":[1,2],"f":false,"n":0.5}"#)
        #expect(call.fields[.contentType] == "application/json")
    }

    // MARK: - Bodies

    private struct Weight: Codable {
        var weight: Double
        var measuredAt: Date?
    }

    @Test("A JSON body is encoded by the default encoder or by a custom one")
    func json() throws {
        let plain = try call(Anything(method: .put, task: .json(Weight(weight: 71.5))))
        #expect(body(plain) == #"{"weight":71.5}"#)
        #expect(plain.fields[.contentType] == "application/json")

        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .secondsSince1970
        let own = Weight(weight: 1, measuredAt: Date(timeIntervalSince1970: 5))
        #expect(
            body(try call(Anything(method: .put, task: .json(own, encoder: encoder))))
                == #"{"measured_at":5,"weight":1}"#)
        var ours = JSONBytesEncoder()
        ours.keyEncodingStrategy = .convertToSnakeCase
        ours.outputFormatting = .sortedKeys
        ours.dateEncodingStrategy = .secondsSince1970
        #expect(
            body(try call(Anything(method: .put, task: .json(own, encoder: ours))))
                == #"{"measured_at":5,"weight":1}"#)
        let moya = try call(Anything(method: .put, task: .json(Weight(weight: 2))))
        #expect(body(moya) == #"{"weight":2}"#)
    }

    @Test("A value that cannot be encoded fails the call with the encoder's error")
    func unencodable() throws {
        let error = try refusal(Anything(method: .put, task: .json([Double.nan])))
        #expect(error.reason == .requestError)
        #expect(error.underlying is EncodingError)
    }

    @Test("Bytes are sent unchanged, with their content type")
    func data() throws {
        let call = try call(Anything(method: .post, task: .data([1, 2, 3], contentType: "image/png")))
        #expect(call.body.inMemory == [1, 2, 3])
        #expect(call.fields[.contentType] == "image/png")
    }

    // MARK: - Fields

    @Test("A call accepts JSON without a content coding, and the target's own fields replace these defaults")
    func fields() throws {
        let plain = try call(Anything())
        #expect(plain.fields == [.accept: "application/json", .acceptEncoding: "identity"])
        #expect(plain.contextFields == [.via: "1.1 sluice"])
        let own = try call(
            Anything(
                method: .post,
                headers: [.accept: "text/csv", "X-Key": "a", "x-key": "b", .contentType: "text/plain"],
                task: .data([1], contentType: "image/png")))
        #expect(own.fields.values(of: .accept) == ["text/csv"])
        #expect(own.fields.values(of: "X-Key") == ["a", "b"])
        #expect(own.fields.values(of: .contentType) == ["text/plain"])
    }

    @Test(
        "A header that only the transport may set fails the call",
        arguments: [
            "Host", "content-length", "Transfer-Encoding", "Connection", "Keep-Alive", "TE", "Upgrade",
            "Expect",
        ])
    func transportFields(name: String) throws {
        var headers = HTTPFields()
        headers.append(try #require(HTTPFieldName(name)), "x")
        #expect(try refusal(Anything(headers: headers)).reason == .requestError)
    }

    @Test("A path that is only a query follows the base path directly")
    func queryAsPath() throws {
        for (base, path, target) in [
            ("http://a.test/echo", "?q=1", "/echo?q=1"), ("http://a.test/echo/", "?q=1", "/echo?q=1"),
            ("http://a.test/echo", "?q=a b", "/echo?q=a%20b"), ("http://a.test", "?q=1", "/?q=1"),
            ("http://a.test/echo", "", "/echo"), ("http://a.test/echo", "x?q=1", "/echo/x?q=1"),
        ] {
            let call = try Outgoing.call(Anything(path: RequestPath(encoded: path), baseURL: base))
            #expect(String(decoding: call.target, as: UTF8.self) == target)
        }
    }

    @Test("CONNECT is refused, and TRACE only with a body")
    func methods() throws {
        let connect = try refusal(Anything(method: .connect))
        #expect(connect.requestPart == .url)
        #expect(connect.message.contains("CONNECT"))
        #expect(try refusal(Anything(method: .trace, task: .json([1]))).requestPart == .body)
        #expect(try Outgoing.call(Anything(method: .trace)).method == .trace)
    }

    @Test("A header value with a line break fails the call")
    func injectedField() throws {
        let error = try refusal(Anything(headers: ["X-Key": "a\r\nHost: evil.test"]))
        #expect(error.reason == .requestError)
        #expect(!error.message.contains("evil"))
    }
}
