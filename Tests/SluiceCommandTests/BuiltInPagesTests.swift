import Foundation
import GatewayHTTP
import Testing

@testable import SluiceCommand

@Suite("Built-in pages")
struct BuiltInPagesTests {
    private let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Public").resolvingSymlinksInPath()

    @Test("The program contains each page of Public/ once, without the lines that are comments")
    func areTheFilesOfPublic() throws {
        let pages = BuiltInPages.all
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
            var isFolder: ObjCBool = false
            let path = folder.appendingPathComponent(name).path
            // The console belongs to the admin listener.
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
                && !name.hasPrefix("console/")
        }
        #expect(files.contains("index.html"))
        #expect(pages.map(\.path).sorted() == files.sorted(), "Sources/CPages/pages.c lists other files")
        for page in pages {
            let file = try Data(contentsOf: folder.appendingPathComponent(page.path))
            let text = String(decoding: file, as: UTF8.self)
            let code =
                switch URL(fileURLWithPath: page.path).pathExtension {
                case "js": text.replacing(/(?m)^ *(\/\/.*|\/\*(?s:.*?)\*\/)\n/, with: "")
                case "css": text.replacing(/(?m)^ *\/\*(?s:.*?)\*\/\n/, with: "")
                case "html": text.replacing(/(?m)^ *<!--(?s:.*?)-->\n/, with: "")
                default: text
                }
            #expect(page.bytes == [UInt8](code.utf8), "\(page.path)")
        }
    }

    @Test(
        "A comment that begins a line and ends one is left out, no other text",
        arguments: [
            (
                "a.js", "// one\nlet a = 1; // stays\n  /** two\n   */\nlet b;\n",
                "let a = 1; // stays\nlet b;\n"
            ),
            ("a.js", "/* a */ let b;\n/* c\n*/ let d;\n", "/* a */ let b;\n/* c\n*/ let d;\n"),
            ("a.js", "let a;\n/* without an end", "let a;\n/* without an end"),
            ("a.css", "/* a */\n// no comment\nb {}", "// no comment\nb {}"),
            ("a.html", "<p>\n  <!-- a\n  b -->\n</p>\n", "<p>\n</p>\n"),
            ("a.txt", "// a\n", "// a\n"),
            ("a.js", "", ""),
        ])
    func comments(path: String, text: String, code: String) {
        let bytes = PageText.withoutComments(Array(text.utf8), path: path)
        #expect(String(decoding: bytes, as: UTF8.self) == code)
    }

    @Test("The page preloads each module that its scripts import, and no other")
    func preloadsItsModules() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        }
        let page = try text("index.html")
        var modules = page.matches(of: /<script type="module" src="\/([^"]+)"/).map { String($0.1) }
        #expect(!modules.isEmpty)
        // The list grows while it is read.
        var index = 0
        while index < modules.count {
            let base = folder.appendingPathComponent(modules[index]).deletingLastPathComponent()
            for match in try text(modules[index]).matches(of: /(?m)^(?:import|export)\b[^;"]*"(\.[^"]+)"/) {
                let path = base.appendingPathComponent(String(match.1)).standardizedFileURL.path
                let module = String(path.dropFirst(folder.path.count + 1))
                if !modules.contains(module) { modules.append(module) }
            }
            index += 1
        }
        let preloaded = page.matches(of: /<link rel="modulepreload" href="\/([^"]+)"/).map { String($0.1) }
        #expect(preloaded.sorted() == modules.sorted())
    }
}
