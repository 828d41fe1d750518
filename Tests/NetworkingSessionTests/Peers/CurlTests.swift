import Foundation
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingSession
import TestSupport
import Testing

/// Runs the curl command that the logger prints for a request.
@Suite(
    "curl commands", .timeLimit(.minutes(2)),
    .enabled(
        if: PythonServer.isInstalled && Shell.hasCurl, "python3 or curl is not installed: make setup"))
struct CurlTests {
    /// Answers with the method, target, fields and body of the request.
    private static let mirror = """
        import base64, json
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                fields = sorted([name.lower(), value] for name, value in self.headers.items())
                text = json.dumps({"method": self.command, "target": self.path, "fields": fields,
                                   "body": base64.b64encode(body).decode()}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer
        """

    private struct Weight: Encodable {
        var weight = 61.5
        var note = "it's \"quoted\" $HOME `id` \\n 반응형\n!"
    }

    private static let quirky: HTTPFields = {
        var fields = HTTPFields()
        fields.append("X-Quirk", "it's; $(id) \"x\" *")
        return fields
    }()

    @Test(
        "The curl command gets the same answer as the call",
        arguments: [
            (
                "a query", HTTPMethod.get, "it's [1-3] {a,b}",
                RequestTask.parameters(["q": "a b&c=[1]{2}'$x", "n": 3], encoding: .query)
            ),
            ("JSON", .post, "weights", .json(Weight())),
            ("a form", .put, "form", .parameters(["name": "it's", "list": [1, 2]], encoding: .form)),
            (
                "text", .patch, "text",
                .data(Array("@file is no file\r\n--data x".utf8)[...], contentType: "text/plain")
            ),
            ("bytes", .post, "bytes", .data([0, 0xff, 0x0a, 0x27, 0], contentType: nil)),
            ("parts", .post, "parts", .multipart(MultipartFormData([.text("it's\r\n", name: "a \"b\"")]))),
            ("nothing", .delete, "nothing", .plain),
        ])
    func sameAnswer(name: String, method: HTTPMethod, path: String, task: RequestTask) async throws {
        let python = try PythonServer(Self.mirror)
        defer { python.stop() }
        let lines = Lock<[String]>([])
        try await PeerSession.with("http://127.0.0.1:\(python.port)") { peer async throws in
            var peer = peer
            // The logger omits a multipart form unless redaction is off.
            let redaction = name == "parts" ? Redaction.none : Redaction()
            peer.plugins = [
                NetworkLogger(.requests, redaction: redaction) { line in lines.withLock { $0.append(line) } }
            ]
            var target = peer.target("/mirror/\(path)", method, task)
            target.headers = Self.quirky
            let response = try await peer.provider.request(target)
            let line = try #require(lines.withLock { $0 }.first)
            #expect(lines.withLock { $0 }.count == 1)
            let output = try Shell.run(line)
            #expect(output == response.text, "\(line)")
            #expect(response.text.contains("\"method\": \"\(method.rawValue)\""))
            #expect(response.text.contains("x-quirk"))
        }
    }

    @Test("The curl command omits secrets, so the server accepts the call but not the command")
    func redacted() async throws {
        try #require(Nginx.isInstalled, "nginx is not installed: make setup")
        let nginx = try Nginx.secure(
            "location / { if ($http_authorization != 'Bearer t1') { return 401 'no'; } return 200 'yes'; }")
        defer { nginx.stop() }
        let authority = nginx.folder.file("authority.pem")
        try TestAuthority.shared.pem.write(toFile: authority, atomically: true, encoding: .utf8)
        let lines = Lock<[String]>([])
        try await PeerSession.with(nginx.secureURL) { peer async throws in
            var peer = peer
            peer.plugins = [NetworkLogger(.requests) { line in lines.withLock { $0.append(line) } }]
            var target = peer.target("/")
            target.headers = [.authorization: "Bearer t1"]
            #expect(try await peer.provider.request(target).text == "yes")
            let line = try #require(lines.withLock { $0 }.first)
            #expect(!line.contains("t1"))
            #expect(try Shell.run(line, ["CURL_CA_BUNDLE": authority]) == "no")
        }
    }

    @Test(
        "The curl command omits a streamed body or a form with a secret part, and a comment says so",
        arguments: [true, false])
    func leftOut(isStreamed: Bool) async throws {
        let python = try PythonServer(Self.mirror)
        defer { python.stop() }
        let lines = Lock<[String]>([])
        try await PeerSession.with("http://127.0.0.1:\(python.port)") { peer async throws in
            var peer = peer
            peer.plugins = [NetworkLogger(.requests) { line in lines.withLock { $0.append(line) } }]
            let file = python.folder.file("uploaded")
            try "hello".write(toFile: file, atomically: true, encoding: .utf8)
            let parts = MultipartFormData([.text("hello", name: "password")])
            let task = isStreamed ? RequestTask.file(file) : .multipart(parts)
            #expect(try await peer.provider.request(peer.target("/form", .post, task)).statusCode == 200)
            let line = try #require(lines.withLock { $0 }.first)
            let remark = try #require(line.split(separator: "#").last)
            #expect(remark.hasSuffix(" omitted"), "\(line)")
            // To the shell, the remark is a comment.
            #expect(try Shell.run(line).contains("\"body\": \"\""))
        }
    }
}

/// Runs commands in `/bin/sh`, as a user would paste them.
enum Shell {
    static let hasCurl = PeerProcess.find("curl") != nil

    /// Returns what the command writes to standard output.
    static func run(_ line: String, _ environment: [String: String] = [:]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments = ["\(Patience.limit.components.seconds)", "/bin/sh", "-c", line]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["no_proxy": "*"]) { $1 }.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitForEnd()
        return String(decoding: data, as: UTF8.self)
    }
}
