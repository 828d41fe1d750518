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
}
