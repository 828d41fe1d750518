import Foundation
import GatewayCore
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Files from multipart forms", .serialized, .timeLimit(.minutes(1)))
struct MultipartSaveTests {
    private let folder = ScratchFolder()
    private let log = HandlerLog()

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    private func declare(_ gateway: Gateway) {
        let (path, log) = (folder.path, log)
        gateway.post("/files", .streamsBody, .bodyLimit(64 << 20)) { request in
            var saved: [String] = []
            for try await part in request.multipart() where part.filename != nil {
                log.add("saving")
                saved.append(try await part.save(inFolder: path))
            }
            return .json(saved)
        }
        gateway.post("/named", .streamsBody, .bodyLimit(64 << 20)) { request in
            var count: Int64 = 0
            for try await part in request.multipart() { count += try await part.save(to: path + "/one") }
            return .json(count)
        }
    }

    private static func head(_ filename: String) -> String {
        "--B\r\nContent-Disposition: form-data; name=\"a\"; filename=\"\(filename)\"\r\n\r\n"
    }

    private static func post(_ client: RawClient, _ path: String, length: Int) {
        client.post(path, "Content-Type: multipart/form-data; boundary=B\r\nContent-Length: \(length)")
    }

    @Test("curl uploads a field and two files, which are saved under random names, for their owner alone")
    func curl() throws {
        let sources = ScratchFolder()
        let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 11) })
        try content.write(to: URL(filePath: sources.file("large.bin")))
        try Data("small\r\n--".utf8).write(to: URL(filePath: sources.file("small.txt")))
        try withBodyGateway(declare: declare) { server in
            let curl = Process()
            curl.executableURL = URL(filePath: "/usr/bin/curl")
            curl.arguments = [
                "-sS", "--max-time", "20", "-o", sources.file("answer"), "-F", "title=hello",
                "-F", "x=@\(sources.file("large.bin"));filename=../../escape", "-F",
                "y=@\(sources.file("small.txt"))",
                "http://127.0.0.1:\(server.port)/files",
            ]
            try curl.run()
            curl.waitForEnd()
            #expect(curl.terminationStatus == 0)
        }
        let answer = try String(contentsOfFile: sources.file("answer"), encoding: .utf8)
        #expect(answer.contains("\"data\":["), "\(answer)")
        let saved = try files
        #expect(saved.count == 2)
        let contents = try saved.map { try Data(contentsOf: URL(filePath: folder.file($0))) }
        #expect(Set(contents) == [content, Data("small\r\n--".utf8)])
        for name in saved {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(name.allSatisfy { $0.isLetter || $0.isNumber })
        }
    }

    @Test(
        "A partial file is removed when the client leaves, or its form is malformed",
        arguments: [true, false])
    func removed(leaves: Bool) throws {
        try withBodyGateway(declare: declare) { server in
            let client = try RawClient(port: server.port)
            let head = Self.head("x")
            Self.post(client, "/files", length: leaves ? 1000 : head.utf8.count + 4)
            client.send(head + "some")
            try log.wait(for: "saving")
            if leaves {
                try spin(while: try files.isEmpty) { "no file yet" }
                client.close()
            } else {
                #expect(try client.reply().status == 400)
            }
            try spin(while: try !files.isEmpty) { "files \(try files)" }
        }
    }

    @Test("An existing file is not replaced: the answer is 500")
    func exclusive() throws {
        try Data("mine".utf8).write(to: URL(filePath: folder.file("one")))
        try withBodyGateway(declare: declare) { server in
            let client = try RawClient(port: server.port)
            let form = Self.head("x") + "yours\r\n--B--\r\n"
            Self.post(client, "/named", length: form.utf8.count)
            client.send(form)
            #expect(try client.reply().status == 500)
        }
        #expect(try String(contentsOfFile: folder.file("one"), encoding: .utf8) == "mine")
    }

    @Test("An upload of 32 MiB is saved whole, and its size returned")
    func large() throws {
        let size = 32 << 20
        try withBodyGateway(declare: declare) { server in
            let client = try RawClient(port: server.port)
            let (head, end) = (Self.head("x"), "\r\n--B--\r\n")
            Self.post(client, "/named", length: head.utf8.count + size + end.utf8.count)
            client.send(head)
            #expect(client.send([UInt8](repeating: 13, count: size)))
            client.send(end)
            #expect(try client.reply().text.contains("\"data\":\(size)"))
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("one"))
        #expect(attributes[.size] as? Int == size)
    }
}
