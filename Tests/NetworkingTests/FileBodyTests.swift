import FoundationEssentials
import Glibc
import HTTPModel
import Networking
import Testing

@Suite("File body")
struct FileBodyTests {
    @Test("A body path that is not a readable regular file fails the call, and the error omits the path")
    func unreadable() throws {
        let folder = try ScratchFolder()
        for path in [folder.path + "/missing", folder.path, "", "/dev/null", "/etc/passwd\0x"] {
            let error = try Outgoing.refusal(Anything(method: .put, task: .file(path)))
            #expect(error.reason == .requestError)
            #expect(error.underlying is FileBody.Failure)
            #expect(!error.message.contains(folder.path))
        }
    }

    @Test("A body file that changes size is an error and is not sent truncated")
    func changed() throws {
        let folder = try ScratchFolder()
        let path = try folder.file("a", repeatElement(1, count: 100))
        let body = try FileBody(path: path)
        #expect(body.length == 100)
        _ = try folder.file("a", repeatElement(1, count: 101))
        #expect(throws: FileBody.Failure.self) { try body.open() }
        _ = try folder.file("a", repeatElement(1, count: 100))
        let reader = try body.open()
        #expect(try reader.read(atMost: 60).count == 60)
        // Truncates in place, so that the descriptor refers to the same file.
        let handle = try #require(fopen(path, "r+"))
        #expect(ftruncate(fileno(handle), 60) == 0)
        fclose(handle)
        #expect(throws: FileBody.Failure.self) { try reader.read(atMost: 60) }
    }

    @Test(
        "A body file that is written to while it is sent is an error, and the next reader reads the new version"
    )
    func rewritten() throws {
        let folder = try ScratchFolder()
        let path = try folder.file("a", repeatElement(1, count: 100))
        // So long ago that every later change gives the file another time.
        let past = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: path)
        let body = try FileBody(path: path)
        let reader = try body.open()
        #expect(try reader.read(atMost: 60).count == 60)
        let handle = try #require(fopen(path, "r+"))
        #expect(fputs("new", handle) >= 0)
        fclose(handle)
        #expect(throws: FileBody.Failure.self) { try reader.read(atMost: 60) }
        #expect(try body.open().read(atMost: 3).elementsEqual("new".utf8))
    }

    @Test("Each reader reads the file in pieces from the beginning, and an empty file has no pieces")
    func read() throws {
        let folder = try ScratchFolder()
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let body = try FileBody(path: try folder.file("a.bin", bytes))
        for _ in 1...2 {
            let reader = try body.open()
            var read: [UInt8] = []
            while case let piece = try reader.read(atMost: 4096), !piece.isEmpty {
                #expect(piece.count <= 4096)
                read += piece
            }
            #expect(read == bytes)
        }
        #expect(try RequestBody.stream(FileBody(path: try folder.file("empty", []))).collect().isEmpty)
    }

    @Test("A file is sent with its length and the content type of its extension")
    func sent() throws {
        let folder = try ScratchFolder()
        let path = try folder.file("lunch.JPG", [1, 2, 3])
        let call = try Outgoing.call(Anything(method: .put, task: .file(path)))
        #expect(call.body.length == 3)
        #expect(call.body.inMemory == nil)
        #expect(try call.body.collect() == [1, 2, 3])
        #expect(call.fields[.contentType] == "image/jpeg")
        let typed = try Outgoing.call(Anything(method: .put, task: .file(path, contentType: "x/y")))
        #expect(typed.fields[.contentType] == "x/y")
        let unknown = try Outgoing.call(
            Anything(method: .put, task: .file(try folder.file("a.b/c".replacing("/", with: "-"), []))))
        #expect(unknown.fields[.contentType] == "application/octet-stream")
    }
}
