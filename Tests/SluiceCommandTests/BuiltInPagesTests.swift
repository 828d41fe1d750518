import Foundation
import GatewayHTTP
import Testing

@testable import SluiceCommand

@Suite("Built-in pages")
struct BuiltInPagesTests {
    private let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Public").resolvingSymlinksInPath()

    @Test("The program contains each file of Public/ once, byte for byte")
    func areTheFilesOfPublic() throws {
        let pages = BuiltInPages.all
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
            var isFolder: ObjCBool = false
            let path = folder.appendingPathComponent(name).path
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
        }
        #expect(files.contains("index.html"))
        #expect(pages.map(\.path).sorted() == files.sorted(), "Sources/CPages/pages.c lists other files")
        for page in pages {
            let file = try Data(contentsOf: folder.appendingPathComponent(page.path))
            #expect(page.bytes == [UInt8](file), "\(page.path)")
        }
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
