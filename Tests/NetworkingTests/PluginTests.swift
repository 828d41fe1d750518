import Foundation
import HTTPModel
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// A target whose path contains characters that a shell could misinterpret.
private struct Sent: TargetType {
    var baseURL: String { "http://api.test:9001" }
    var path: RequestPath = "/it's/(a)?b=$HOME"
    var method: HTTPMethod = .post
    var headers = HTTPFields()
    var task: RequestTask = .plain
}

@Suite("Plugins", .noLeaks)
struct PluginTests {
    private func call(_ target: Sent) throws -> TransportCall {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(.response(200))
        _ = Probe(Provider<Sent>(transport: transport).rx.request(target))
        return try #require(transport.attempts.first?.call)
    }

    // MARK: - curl lines

    /// Returns the words of the line as a shell splits it. A fake `curl` prints its arguments and its input.
    private func words(_ line: String) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c",
            "curl() { for word; do printf '%s\\0' \"$word\"; done; case \"$*\" in *@-*) cat;; esac; }\n"
                + line,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return bytes.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test("A shell splits a curl line into the original words, whatever the request contains")
    func shellSafety() throws {
        let nasty = #"it's `id` $(id) "$HOME" \ ; | & > < * ? ! # ~ %s"# + "\n\ttwo lines"
        let call = try call(
            Sent(headers: ["X-Nasty": #"'; rm -rf "$HOME" #'"#], task: .json(["text": nasty])))
        let words = try words(call.curlCommand())
        #expect(words.prefix(4) == ["-X", "POST", "--globoff", "http://api.test:9001/it's/(a)?b=$HOME"])
        #expect(words.contains(#"X-Nasty: '; rm -rf "$HOME" #'"#))
        let body = try #require(words.firstIndex(of: "--data-raw").map { words[$0 + 1] })
        #expect(Array(body.utf8)[...] == call.body.inMemory)
    }

    @Test("A body that is not text reaches curl unchanged")
    func binary() throws {
        let bytes: [UInt8] = [0, 1, 39, 255, 10, 0]
        let call = try call(Sent(task: .data(bytes[...], contentType: "application/octet-stream")))
        let line = call.curlCommand()
        #expect(line.contains("--data-binary @-"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "curl() { cat; }\n" + line]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(Array(output.fileHandleForReading.readDataToEndOfFile()) == bytes)
        process.waitUntilExit()
    }

    @Test("Secrets in fields, queries, forms and nested JSON are redacted")
    func redaction() throws {
        let secrets = ["s3cr3t-1", "s3cr3t-2", "s3cr3t-3"]
        let fields: HTTPFields = [
            .authorization: "Bearer s3cr3t-1", .cookie: "a=s3cr3t-2", "X-Api-Key": "s3cr3t-3",
        ]
        let tasks: [RequestTask] = [
            .parameters(["serviceKey": "s3cr3t-1", "nx": 60, "access_token": "s3cr3t-2"], encoding: .query),
            .parameters(["password": "s3cr3t-1", "name": "ok"], encoding: .form),
            .json(["list": [["user": ["Refresh-Token": "s3cr3t-1", "name": "ok"]]]]),
        ]
        for task in tasks {
            let line = try call(Sent(path: "/x", headers: fields, task: task)).curlCommand()
            for secret in secrets { #expect(!line.contains(secret)) }
            #expect(line.contains("Authorization: Bearer [REDACTED]"))
            #expect(line.contains("60") || line.contains("ok"))
            #expect(try !words(line).isEmpty)
        }
        let whole = try call(Sent(path: "/x", headers: fields)).curlCommand(redaction: .none)
        #expect(whole.contains("Bearer s3cr3t-1"))
    }

    @Test(
        "Secrets in nested forms, multipart forms, URLs in fields and custom fields are redacted too"
    )
    func furtherRedaction() throws {
        let form = MultipartFormData([.text("s3cr3t", name: "password")])
        let tasks: [RequestTask] = [
            .parameters(["user": ["password": "s3cr3t"], "token": ["s3cr3t"]], encoding: .form),
            .parameters(["filter": ["apiKey": "s3cr3t"]], encoding: .query), .multipart(form),
        ]
        let fields: HTTPFields = [
            "Referer": "http://a.test/x?token=s3cr3t&b=1", "X-Access-Token": "s3cr3t",
            "Content-Location": "/in#access_token=s3cr3t&b=1", "Ocp-Apim-Subscription-Key": "s3cr3t",
            "Stripe_Signature": "s3cr3t", "X-Plex-Session-Id": "s3cr3t", "Db-Password": "s3cr3t",
        ]
        for task in tasks {
            let line = try call(Sent(path: "/x", headers: fields, task: task)).curlCommand()
            #expect(!line.contains("s3cr3t"))
            #expect(line.contains("b=1"))
        }
    }

    @Test(
        "Names that end in a secret's name are redacted in fields, queries, forms and JSON",
        arguments: [
            "X-Amz-Signature", "X-Amz-Security-Token", "X-Amz-Credential", "X-Goog-Signature", "pwd", "PWD",
            "Pass",
            "user_pwd", "newPassword", "oldPassword2", "userAPIKey", "authTOKEN", "X-Hub-Signature", "otp",
            "X-Hub-Signature-256", "X-Shopify-Hmac-Sha256", "X-Signature-Ed25519", "code_verifier", "token-1",
        ])
    func endings(name: String) throws {
        let field = try #require(HTTPFieldName(name))
        let tasks: [RequestTask] = [
            .parameters([name: "s3cr3t"], encoding: .query), .parameters([name: "s3cr3t"], encoding: .form),
            .parameters(["a": [name: "s3cr3t"]], encoding: .form), .json([name: "s3cr3t"]),
            .multipart(MultipartFormData([.text("s3cr3t", name: name)])),
        ]
        for task in tasks {
            let line = try call(Sent(path: "/x", headers: [field: "s3cr3t"], task: task)).curlCommand()
            #expect(!line.contains("s3cr3t"))
            #expect(line.contains("[REDACTED]"))
        }
    }

    @Test(
        "Names that only begin like a secret's name stay in logs",
        arguments: [
            "keyword", "Keyboard", "compass", "pinned", "passage", "tokens_left", "sessions", "sha256", "v2",
        ])
    func harmless(name: String) throws {
        let field = try #require(HTTPFieldName(name))
        let task = RequestTask.parameters([name: "plain-1"], encoding: .form)
        let line = try call(Sent(path: "/x", headers: [field: "plain-2"], task: task)).curlCommand()
        #expect(line.contains("plain-1") && line.contains("plain-2"))
    }

    @Test("The user of a URL in a field is redacted, and a form in a response as well")
    func addresses() throws {
        let line = try call(Sent(path: "/x", headers: ["Referer": "http://u:s3cr3t@a.test/x?b=1"]))
            .curlCommand()
        #expect(line.contains("Referer: http://[REDACTED]@a.test/x?b=1"))
        let plain = try call(Sent(path: "/x", headers: ["Referer": "http://a.test/@x?b=1"])).curlCommand()
        #expect(plain.contains("Referer: http://a.test/@x?b=1"))

        let lines = Lock<[String]>([])
        let bench = try Bench(plugins: [
            NetworkLogger(.responseBodies.union(.responses)) { line in lines.withLock { $0.append(line) } }
        ])
        bench.transport.answer(
            .response(
                200, fields: [.contentType: "application/x-www-form-urlencoded; charset=utf-8"],
                body: "access_token=s3cr3t&scope=user"))
        _ = bench.start()
        #expect(lines.withLock { $0.last } == "  access_token=[REDACTED]&scope=user")
    }

    @Test("A curl line has no line breaks, whatever the request's body and method contain")
    func oneLine() throws {
        let text = "a\n200 from api: all is well\u{1b}[2J\u{85}\u{2028}"
        let call = try call(
            Sent(
                method: try #require(HTTPMethod(rawValue: "A`id`'$x|y")),
                task: .data(Array(text.utf8)[...], contentType: "text/plain")))
        let line = call.curlCommand()
        #expect(
            !line.unicodeScalars.contains {
                $0.value < 0x20 || (0x7f..<0xa0).contains($0.value) || $0.value == 0x2028
            })
        let words = try words(line)
        #expect(words.prefix(2) == ["-X", "A`id`'$x|y"])
        #expect(words.last.map { $0.hasSuffix(text) } == true)
    }

    @Test("A body beyond the limit is replaced by a comment with its length")
    func longBody() throws {
        let call = try call(
            Sent(task: .data(Array(repeating: 65, count: 20_000)[...], contentType: "text/plain")))
        let line = call.curlCommand()
        #expect(line.hasSuffix("# body of 20000 bytes omitted"))
        #expect(try !words(line).contains("--data-raw"))
        #expect(call.curlCommand(bodyLimit: 20_000).contains("--data-raw"))
    }

    @Test("GET needs no -X, and HEAD uses --head")
    func methods() throws {
        #expect(try !call(Sent(path: "/x", method: .get)).curlCommand().contains("-X"))
        #expect(try call(Sent(path: "/x", method: .head)).curlCommand().hasPrefix("curl --head "))
        #expect(try call(Sent(path: "/x", method: .delete)).curlCommand().hasPrefix("curl -X DELETE "))
    }

    // MARK: - Logger

    @Test(
        "The logger writes one line for each attempt, response and failure, without secrets")
    func logger() throws {
        let lines = Lock<[String]>([])
        let bench = try Bench(plugins: [
            NetworkLogger(.verbose) { line in lines.withLock { $0.append(line) } }
        ])
        bench.transport.answer(
            .response(503),
            .response(
                200, fields: [.setCookie: "sid=s3cr3t"],
                body: "{\"status\":500,\"data\":{\"token\":\"s3cr3t\",\"note\":\"a\\nb\"}}"))
        let probe = Probe(bench.provider.rx.request(.day("2026-11-20")).fragment())
        bench.time.advance(by: .seconds(1))
        #expect(probe.networkError?.kind == .serverErr)
        let told = lines.withLock { $0 }
        #expect(told.count == 6)
        #expect(told[0].hasPrefix("curl --globoff 'http://diary.test:9001/food-diary/weights/2026-11-20'"))
        #expect(told[1].hasSuffix("# attempt 2"))
        #expect(
            told[2] == "200 from diary: GET /food-diary/weights/2026-11-20, 54 bytes, 10.0 ms, attempts 2")
        #expect(told[3] == "  Set-Cookie: [REDACTED]")
        #expect(told[4].contains(#""token":"[REDACTED]""#))
        #expect(told[5].contains("serverErr"))
        #expect(!told.contains { $0.contains("s3cr3t") || $0.contains("\n") })
    }

    @Test("A call without a response is logged with its reason")
    func loggedFailure() throws {
        let lines = Lock<[String]>([])
        let bench = try Bench(
            plugins: [NetworkLogger(.responses) { line in lines.withLock { $0.append(line) } }])
        bench.transport.answer(.failure(.connectionReadTimeout))
        _ = bench.start()
        let told = lines.withLock { $0 }
        #expect(told.count == 1)
        #expect(told[0].contains("connection_read_timeout"))
    }

    @Test("The logger counts the bytes of downloads and streams, which have no body in memory")
    func loggedSizes() throws {
        let lines = Lock<[String]>([])
        let bench = try Bench(
            plugins: [NetworkLogger(.responses) { line in lines.withLock { $0.append(line) } }])
        bench.transport.answer(.response(200, body: String(repeating: "0123456789", count: 250)))
        let download = Lock<Response?>(nil)
        _ = bench.provider.rx.download(.day("2026-11-20"), to: "/tmp/unwritten").filterCompleted()
            .subscribe(onNext: { response in download.withLock { $0 = response } })
        _ = bench.provider.rx.stream(.day("2026-11-20")).subscribe()
        _ = bench.provider.rx.requestWithProgress(.day("2026-11-20")).subscribe()
        let response = try #require(download.withLock { $0 })
        #expect(response.data.isEmpty)
        #expect(response.byteCount == 2500)
        let told = lines.withLock { $0 }
        #expect(told.count == 3)
        #expect(told.allSatisfy { $0.contains(", 2500 bytes, ") }, "\(told)")
    }

    // MARK: - Recorder

    @Test("Recorded failures do not retain the recorder")
    func recorderLetGo() throws {
        weak var gone: ErrorRecorder?
        do {
            let recorder = ErrorRecorder()
            gone = recorder
            let bench = try Bench(plugins: [recorder])
            bench.transport.answer(.response(404), .failure(.connectionReadTimeout))
            _ = Probe(bench.provider.rx.request(.day("2026-11-20")).checkStatusCode())
            _ = bench.start()
            #expect(recorder.recent.count == 2)
        }
        #expect(gone == nil)
    }

    @Test("The recorder counts by kind and reason and keeps the most recent errors, oldest first")
    func recorder() throws {
        struct Other: Error {}
        let recorder = ErrorRecorder(capacity: 3, now: { Date(timeIntervalSince1970: 5) })
        let bench = try Bench(plugins: [recorder])
        bench.transport.answer(
            .failure(.connectionReadTimeout), .response(404), .json("no json"), .json(#"{"status":500}"#),
            .json(#"{"status":200,"data":1}"#))
        for _ in 0..<5 { _ = Probe(bench.provider.rx.request(.day("2026-11-20")).fragment()) }
        recorder.record(Other())
        #expect(recorder.counts == [.networkFail: 1, .requestErr: 1, .pathErr: 1, .serverErr: 1])
        #expect(recorder.reasons == [.connectionReadTimeout: 1, .upstreamStatus: 2, .decodeError: 1])
        #expect(recorder.otherCount == 1)
        #expect(recorder.recent.map { $0.networkError?.kind } == [.pathErr, .serverErr, nil])
        #expect(recorder.recent.allSatisfy { $0.recordedAt == Date(timeIntervalSince1970: 5) })
        recorder.reset()
        #expect(recorder.counts.isEmpty && recorder.recent.isEmpty && recorder.otherCount == 0)
    }

    @Test("The recorder keeps the last hundred errors by default, and none if its capacity is 0")
    func capacity() throws {
        struct Other: Error { let number: Int }
        let recorder = ErrorRecorder()
        for number in 0..<250 { recorder.record(Other(number: number)) }
        #expect(recorder.recent.compactMap { ($0.error as? Other)?.number } == Array(150..<250))
        let none = ErrorRecorder(capacity: 0)
        none.record(Other(number: 1))
        #expect(none.recent.isEmpty && none.otherCount == 1)
    }

    // MARK: - Access token

    @Test("Each request carries the current access token, if there is one")
    func accessToken() throws {
        let token = Lock<String?>(nil)
        let bench = try Bench(plugins: [AccessTokenPlugin(scheme: "Token") { token.withLock { $0 } }])
        bench.transport.answer(.response(200))
        _ = bench.start()
        token.withLock { $0 = "t1" }
        _ = bench.start()
        #expect(bench.transport.attempts.map { $0.call.fields[.authorization] } == [nil, "Token t1"])
    }
}
