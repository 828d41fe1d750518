import HTTPModel
import Testing

@testable import GatewayHTTP

@Suite("File paths")
struct FilePathTests {
    private func path(_ raw: String) -> String? { FilePath(Array(raw.utf8)[...])?.text }

    @Test(
        "A path that leaves the root, names a hidden file or contains an unsafe byte is refused",
        arguments: [
            "", "a", "*", "/..", "/../", "/../etc/passwd", "/a/../b", "/a/..", "/.", "/./a", "/a/./b", "/...",
            "/%2e",
            "/%2e%2e/a", "/%2E./a", "/.%2e/a", "/a/%2e%2e/b", "//", "//a", "/a//b", "//etc/passwd", "/%2fetc",
            "/a%2fb",
            "/a%2Fb", "/%2f..%2f..", "/a%5cb", "/a\\b", "/..\\a", "/%5c..", "/%00", "/a%00.html", "/a%0ab",
            "/a%7f", "/%",
            "/a%2", "/a%zz", "/%ff", "/%c0%ae%c0%ae/a", "/%c0%2e/a", "/%e0%80%af", "/.git/config", "/a/.env",
            "/.htaccess",
            "/.well-known/a", "/a/.b/c", "/.index.html", "/%2ehidden",
        ])
    func refused(raw: String) {
        #expect(path(raw) == nil)
    }

    @Test("A name or path that is too long for the file system is refused; the longest allowed is not")
    func lengths() {
        let name = String(repeating: "n", count: 252)
        #expect(path("/" + name) == name)
        #expect(path("/n" + name) == nil)
        let deep = String(repeating: "/abc", count: 1022)
        #expect(path(deep + "/abcd") == String(deep.dropFirst()) + "/abcd")
        #expect(path(deep + "/abcde") == nil)
        #expect(path(String(repeating: "/a", count: 40_000)) == nil)
    }

    @Test(
        "A path is decoded to a file's path; a trailing slash selects the folder's index.html",
        arguments: [
            ("/", "index.html"), ("/a", "a"), ("/css/page.css", "css/page.css"),
            ("/folder/", "folder/index.html"),
            ("/a.b..c", "a.b..c"), ("/a..", "a.."), ("/a/b./c", "a/b./c"), ("/%61%20b", "a b"),
            ("/%ec%b0%a8", "차"),
            ("/a%252e%252e", "a%2e%2e"), ("/a+b", "a+b"), ("/~a", "~a"), ("/con", "con"), ("/a%3fb", "a?b"),
        ])
    func accepted(raw: String, expected: String) {
        #expect(path(raw) == expected)
    }

    @Test(
        "A file's type follows from its extension, in any case",
        arguments: [
            ("index.html", "text/html; charset=utf-8", true), ("a/PAGE.CSS", "text/css; charset=utf-8", true),
            ("js/main.js", "text/javascript; charset=utf-8", true),
            ("a.svg", "image/svg+xml; charset=utf-8", true),
            ("a.tar.gz", "application/gzip", false), ("a.png", "image/png", false),
            ("a", "application/octet-stream", false),
            ("html", "application/octet-stream", false), ("a.html/b", "application/octet-stream", false),
            ("a.", "application/octet-stream", false), ("a.exe", "application/octet-stream", false),
        ])
    func types(path: String, mediaType: String, isCompressible: Bool) {
        let type = FileType(of: path)
        #expect(type.mediaType == mediaType)
        #expect(type.isCompressible == isCompressible)
    }
}
