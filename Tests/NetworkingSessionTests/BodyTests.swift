import Foundation
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

/// A target for a file on the server, with properties that a test may set.
struct FileAPI: TargetType {
    let baseURL: String
    var path: RequestPath
    var method: HTTPMethod = .get
    var headers = HTTPFields()
    var task: RequestTask = .plain
    var timeout: Duration?
    var validation: ValidationType = .none
}

@Suite("Bodies over real connections", .enabled(if: Nginx.isInstalled, "nginx is not installed: make setup"))
struct BodyTests {
    private let megabytes = 16

    /// Returns this many bytes of repeated blocks.
    private func bytes(_ count: Int) -> [UInt8] {
        let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += block.prefix(count - bytes.count) }
        return bytes
    }

    @Test("A download with a failing status leaves no file and returns the response with its body")
    func failedDownload() async throws {
        let nginx = try Nginx("location /gone { return 410 'gone'; }")
        defer { nginx.stop() }
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        let path = nginx.folder.file("downloaded")
        let response = try await provider.download(
            FileAPI(baseURL: "http://127.0.0.1:\(nginx.port)", path: "/gone"), to: path)
        #expect(response.statusCode == 410)
        #expect(response.data.elementsEqual("gone".utf8))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A download keeps the permissions of the file that it replaces, and does not replace a pipe")
    func replaced() async throws {
        let nginx = try Nginx(files: ["a": bytes(1000)])
        defer { nginx.stop() }
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        let target = FileAPI(baseURL: "http://127.0.0.1:\(nginx.port)", path: "/a")
        let secret = nginx.folder.file("secret")
        try Data().write(to: URL(fileURLWithPath: secret))
        try #require(chmod(secret, 0o600) == 0)
        #expect(try await provider.download(target, to: secret).statusCode == 200)
        var status = stat()
        #expect(stat(secret, &status) == 0 && status.st_size == 1000)
        #expect(status.st_mode & 0o777 == 0o600)

        let pipe = nginx.folder.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let error = await #expect(throws: NetworkError.self) {
            _ = try await provider.download(target, to: pipe)
        }
        #expect(error?.reason == .internalError)
        let cause = "\(error?.underlying as Any)"
        #expect(cause.contains("not a regular file"))
        #expect(stat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test("A download to a path that cannot be written fails the call, and says why")
    func unwritable() async throws {
        let nginx = try Nginx(files: ["a": bytes(100_000)])
        defer { nginx.stop() }
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        let error = await #expect(throws: NetworkError.self) {
            _ = try await provider.download(
                FileAPI(baseURL: "http://127.0.0.1:\(nginx.port)", path: "/a"),
                to: nginx.folder.file("no/such/folder"))
        }
        #expect(error?.reason == .internalError)
        #expect(error?.message == "the file cannot be written")
        let cause = "\(error?.underlying as Any)"
        #expect(cause.hasSuffix("no/such/folder: No such file or directory)"))
    }

    @Test("A download is written to its file with progress, and the response has no body in memory")
    func download() async throws {
        let body = bytes(megabytes << 20)
        let nginx = try Nginx(files: ["large": body])
        defer { nginx.stop() }
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        let path = nginx.folder.file("downloaded")
        let told = Lock<[Double]>([])
        let response = try await provider.rx.download(
            FileAPI(baseURL: "http://127.0.0.1:\(nginx.port)", path: "/large"), to: path
        )
        .do(onNext: { progress in told.withLock { $0.append(progress.progress) } })
        .filterCompleted().asSingle().value
        #expect(response.statusCode == 200)
        #expect(response.data.isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(body))
        let progress = told.withLock { $0 }
        #expect(progress.count > 2)
        #expect(progress == progress.sorted())
        #expect(progress.last == 1)
    }

    @Test("A slow reader gets the whole stream of a body that is too large to be gathered")
    func stream() async throws {
        let body = bytes(megabytes << 20)
        let nginx = try Nginx(files: ["large": body])
        defer { nginx.stop() }
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        let target = FileAPI(baseURL: "http://127.0.0.1:\(nginx.port)", path: "/large")
        let error = await #expect(throws: NetworkError.self) { _ = try await provider.request(target) }
        #expect(error?.reason == .responseBodySize)
        let stream = try await provider.stream(target)
        #expect(stream.fields[.contentLength] == "\(body.count)")
        var read = 0
        var isEqual = true
        for try await piece in stream {
            isEqual = isEqual && Data(piece) == Data(body[read..<read + piece.count])
            read += piece.count
            if read < 1 << 20 { await Task.yield() }
        }
        #expect(read == body.count)
        #expect(isEqual)
    }

    @Test(
        "Abandoning a stream ends its call and releases its connection"
    )
    func abandoned() async throws {
        let nginx = try Nginx(files: ["large": bytes(megabytes << 20)])
        defer { nginx.stop() }
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        do {
            let stream = try await provider.stream(
                FileAPI(baseURL: "http://127.0.0.1:\(nginx.port)", path: "/large"))
            let iterator = stream.makeAsyncIterator()
            #expect(try await iterator.next()?.isEmpty == false)
        }
        try spin(while: session.report.leased > 0) { "\(session.report)" }
        #expect(session.report.leased == 0)
    }

    @Test("A file is uploaded from disk with progress, and arrives intact")
    func upload() async throws {
        let body = bytes(megabytes << 20)
        let nginx = try Nginx(
            "client_max_body_size 64m; location /put { dav_methods PUT; create_full_put_path on; }")
        defer { nginx.stop() }
        let source = nginx.folder.file("source")
        try Data(body).write(to: URL(fileURLWithPath: source))
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        let target = FileAPI(
            baseURL: "http://127.0.0.1:\(nginx.port)", path: "/put/a", method: .put, task: .file(source)
        )
        let progress = Lock<[Int64]>([])
        let response = try await provider.rx.requestWithProgress(target)
            .do(onNext: { step in
                if step.direction == .upload { progress.withLock { $0.append(step.completed) } }
            })
            .filterCompleted().asSingle().value
        #expect(response.statusCode == 201)
        #expect(try Data(contentsOf: URL(fileURLWithPath: nginx.file("put/a"))) == Data(body))
        let sent = progress.withLock { $0 }
        #expect(sent == sent.sorted())
        #expect(sent.last == Int64(body.count))
    }

    @Test("A file of unknown size and a pipe are uploaded to their ends")
    func unsizedUpload() async throws {
        let nginx = try Nginx("location /put { dav_methods PUT; create_full_put_path on; }")
        defer { nginx.stop() }
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        func upload(_ file: String) async throws -> String {
            let response = try await provider.request(
                FileAPI(
                    baseURL: "http://127.0.0.1:\(nginx.port)", path: "/put/a", method: .put, task: .file(file)
                ))
            #expect([201, 204].contains(response.statusCode))
            return try String(contentsOfFile: nginx.file("put/a"), encoding: .utf8)
        }
        let status = try await upload("/proc/self/status")
        #expect(status.hasPrefix("Name:") && status.contains("Threads:"))
        let pipe = nginx.folder.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let text = String(repeating: "from a pipe\n", count: 20_000)
        let writer = Thread {
            guard let file = fopen(pipe, "w") else { return }
            fputs(text, file)
            fclose(file)
        }
        writer.start()
        #expect(try await upload(pipe) == text)
    }

    @Test("Pipes without writers hold up no file", .timeLimit(.minutes(1)))
    func silentPipes() async throws {
        let nginx = try Nginx("location /put { dav_methods PUT; create_full_put_path on; }")
        defer { nginx.stop() }
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        func target(_ name: String, _ file: String) -> FileAPI {
            FileAPI(
                baseURL: "http://127.0.0.1:\(nginx.port)", path: "/put/\(name)", method: .put,
                task: .file(file))
        }
        let waiting = (0..<8).map { number in
            let pipe = nginx.folder.file("pipe\(number)")
            mkfifo(pipe, 0o600)
            return Task { try await provider.request(target("p\(number)", pipe)) }
        }
        try await poll(while: session.report.leased < 8) { "\(session.report)" }
        let source = nginx.folder.file("source")
        try Data(bytes(100_000)).write(to: URL(fileURLWithPath: source))
        #expect(try await provider.request(target("a", source)).statusCode == 201)
        for task in waiting {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        // Readers that have begun end with their writers.
        for number in 0..<8 { close(open(nginx.folder.file("pipe\(number)"), O_WRONLY | O_NONBLOCK)) }
    }

    @Test(
        "An upload refused midway returns the server's status, and its connection is closed"
    )
    func refusedUpload() async throws {
        let nginx = try Nginx("client_max_body_size 1m;")
        defer { nginx.stop() }
        let source = nginx.folder.file("source")
        try Data(bytes(megabytes << 20)).write(to: URL(fileURLWithPath: source))
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        let response = try await provider.request(
            FileAPI(
                baseURL: "http://127.0.0.1:\(nginx.port)", path: "/put", method: .post,
                task: .file(source)))
        #expect(response.statusCode == 413)
        #expect(session.report.idle == 0)
    }

    @Test("A compressed response is decoded")
    func gzip() async throws {
        let text = #"{"list":["# + Array(repeating: #""value""#, count: 5_000).joined(separator: ",") + "]}"
        let nginx = try Nginx(
            "gzip on; gzip_types application/json; types { application/json json; }",
            files: ["a.json": Array(text.utf8)])
        defer { nginx.stop() }
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        let response = try await provider.request(
            FileAPI(
                baseURL: "http://127.0.0.1:\(nginx.port)", path: "/a.json"))
        #expect(response.data.count == text.utf8.count)
        #expect(response.fields[.contentEncoding] == nil)
        // nginx writes its log after it has sent the response.
        try spin(while: !nginx.accessLog.contains("200 GET /a.json HTTP/1.1 ")) {
            "access log: \(nginx.accessLog)"
        }
        #expect(!nginx.accessLog.contains(" \(text.utf8.count)"))
    }

    @Test("A provider follows redirects up to the limit and sends back the cookies they set")
    func redirects() async throws {
        let nginx = try Nginx(
            """
            location = /in { add_header Set-Cookie 'sid=42; Path=/; HttpOnly' always; return 302 /home; }
            location = /home { return 200 '{"cookie":"$cookie_sid"}'; }
            location = /loop { return 301 /loop; }
            """)
        defer { nginx.stop() }
        let session = try Session.patient()
        defer { session.close() }
        var policy = CallPolicy.patient
        policy.redirects = .follow()
        let provider = Provider<FileAPI>(session: session, policy: policy, cookies: CookieJar())
        let base = "http://127.0.0.1:\(nginx.port)"
        let error = await #expect(throws: NetworkError.self) {
            _ = try await provider.request(FileAPI(baseURL: base, path: "/loop"))
        }
        #expect(error?.reason == .unexpectedStatus)
        let home = try await provider.request(FileAPI(baseURL: base, path: "/in"))
        #expect(String(decoding: home.data, as: UTF8.self) == #"{"cookie":"42"}"#)
    }

    @Test("An upstream may listen on a Unix-domain socket")
    func unixSocket() async throws {
        let nginx = try Nginx("location /v1/x { return 200 '{\"host\":\"$host\"}'; }", onUnixSocket: true)
        defer { nginx.stop() }
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        let path = try #require(nginx.unixPath)
        let missing = await #expect(throws: NetworkError.self) {
            _ = try await provider.request(FileAPI(baseURL: "unix:\(path).gone", path: "/x"))
        }
        #expect(missing?.reason == .connectionRefused)
        let response = try await provider.request(FileAPI(baseURL: "unix:\(path):/v1", path: "/x"))
        #expect(String(decoding: response.data, as: UTF8.self) == #"{"host":"localhost"}"#)
    }
}
