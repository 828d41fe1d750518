import Foundation
import TestSupport
import Testing

@Suite("Pages of sluice")
struct PublicFolderTests {
    private let scratch = ScratchFolder()

    private func start(_ command: String, _ flags: [String] = [], environment: [String: String] = [:])
        throws -> (process: SluiceProcess, url: String)
    {
        let data = command == "demo" ? ["--data", scratch.file("diary.sqlite3")] : []
        let process = try SluiceProcess(
            [command, "--port", "0", "--drain-delay", "0"] + data + flags, environment: environment)
        return (process, "http://127.0.0.1:\(try process.readPort())")
    }

    /// A Python script that executes a program without openat2 (system call 437): a seccomp filter makes the
    /// call fail with the error number in the first argument, as an old kernel or container runtime does.
    private static let withoutOpenat2 = """
        import ctypes, os, struct, sys
        code = int(sys.argv[1])
        libc = ctypes.CDLL(None, use_errno=True)
        steps = [(0x20, 0, 0, 0), (0x15, 0, 1, 437), (0x06, 0, 0, 0x50000 | code), (0x06, 0, 0, 0x7fff0000)]
        filter = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
        program = struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(filter))
        assert libc.prctl(38, 1, 0, 0, 0) == 0
        assert libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0) == 0
        assert libc.syscall(437, 0, 0, 0, 0) == -1 and ctypes.get_errno() == code
        os.execv(sys.argv[2], sys.argv[2:])
        """
    private static let python = "/usr/bin/python3"

    @Test(
        "Without openat2, files are opened step by step and links are not followed",
        .enabled(if: access(python, X_OK) == 0, "python3 is not installed"), arguments: [ENOSYS, EPERM])
    func withoutOpenat2(code: Int32) throws {
        let root = scratch.file("root")
        try FileManager.default.createDirectory(atPath: root + "/a/b", withIntermediateDirectories: true)
        try Data("inner".utf8).write(to: URL(fileURLWithPath: root + "/a/b/file.txt"))
        try Data("secret".utf8).write(to: URL(fileURLWithPath: scratch.file("secret.txt")))
        #expect(symlink("../secret.txt", root + "/secret.txt") == 0)
        #expect(symlink("..", root + "/out") == 0)
        #expect(symlink("b", root + "/a/link") == 0)
        let process = try SluiceProcess(
            ["serve", "--port", "0", "--drain-delay", "0", "--public", root],
            starter: [Self.python, "-c", Self.withoutOpenat2, "\(code)"])
        let url = "http://127.0.0.1:\(try process.readPort())"
        let inner = try curl("\(url)/a/b/file.txt")
        #expect(inner.status == 200)
        #expect(inner.body == "inner")
        for target in ["/secret.txt", "/out/secret.txt", "/a/link/file.txt", "/a/b", "/a/b/none"] {
            #expect(try curl("\(url)\(target)").status == 404, "\(target)")
        }
        end(process)
    }

    private func end(_ process: SluiceProcess) {
        process.signal(SIGTERM)
        #expect(process.finish().exitCode == 0)
    }

    @Test("serve has no pages unless a folder is set by flag or variable")
    func serve() throws {
        let (bare, bareURL) = try start("serve")
        #expect(try curl("\(bareURL)/").status == 404)
        end(bare)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: scratch.file("index.html")))
        for (flags, environment) in [
            (["--public", scratch.path], [:]), ([], ["SLUICE_PUBLIC": scratch.path]),
        ] as [([String], [String: String])] {
            let (process, url) = try start("serve", flags, environment: environment)
            let page = try curl("\(url)/")
            #expect(page.status == 200)
            #expect(page.body == "mine")
            end(process)
        }
    }

    @Test("demo serves the built-in pages, styles and scripts, or the files of a folder")
    func demo() throws {
        let (process, url) = try start("demo")
        let page = try curl("--include", "--compressed", "\(url)/")
        #expect(page.status == 200)
        #expect(page.body.contains("Content-Type: text/html; charset=utf-8"))
        #expect(page.body.contains("Content-Encoding: br"))
        #expect(page.body.contains("Content-Security-Policy: default-src 'none';"))
        // Every file that the page links to is served.
        let links = page.body.matches(of: /(?:href|src)="(\/[^"]+)"/).map { String($0.1) }
        #expect(links.contains { $0.hasSuffix(".css") } && links.contains { $0.hasSuffix(".js") })
        for link in links { #expect(try curl("\(url)\(link)").status == 200, "\(link)") }
        #expect(try curl("\(url)/api/tags").status == 200)
        end(process)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: scratch.file("index.html")))
        let (other, otherURL) = try start("demo", ["--public", scratch.path])
        #expect(try curl("\(otherURL)/").body == "mine")
        #expect(try curl("\(otherURL)\(links.first ?? "")").status == 404)
        end(other)
    }
}
