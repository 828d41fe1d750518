import Testing

/// Package.swift alone decides which module may import which. The pictures of the layers must agree with it.
@Suite("Modules and their layers")
struct LayerTests {
    private let sample = Manifest(
        """
        // module("Commented", ["Out"]),
        func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
            .target(name: name, dependencies: dependencies)
        }
        .library(name: "Product", targets: ["Top"]),
        .systemLibrary(name: "CLibrary", providers: [.apt(["library-dev"])]),
        module("Bottom"),
        module(
            "Middle",
            [
                "Bottom", "CLibrary",
            ]),
        tests("MiddleTests", ["Middle"], resources: [.copy("Data")]),
        .executableTarget(
            name: "Top",
            dependencies: ["Middle"]),
        """)

    @Test("The targets and their dependencies are read from Package.swift")
    func readsTargets() {
        #expect(
            sample.dependencies == [
                "CLibrary": [], "Bottom": [], "Middle": ["Bottom", "CLibrary"], "MiddleTests": ["Middle"],
                "Top": ["Middle"],
            ])
    }

    @Test("Every folder in Sources is a target")
    func everyFolderIsATarget() throws {
        let manifest = try SourceTree.manifest
        let modules = Set(try SourceTree.sources.map(\.module))
        #expect(modules.subtracting(manifest.dependencies.keys).isEmpty)
        #expect(manifest.dependencies["HTTPWire"]?.contains("HTTPModel") == true)
    }

    @Test("A module imports only what its target declares")
    func importsAreDeclared() throws {
        let manifest = try SourceTree.manifest
        let complaints = try SourceTree.sources.flatMap { Rules.importComplaints($0, manifest) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A module imports every dependency that its target declares")
    func dependenciesAreImported() throws {
        let complaints = try Rules.dependencyComplaints(SourceTree.sources, SourceTree.manifest)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("An import that the target does not declare is found")
    func undeclaredImport() {
        let upwards = SourceFile(path: "Sources/Bottom/Bad.swift", text: "public import Middle\n")
        let library = SourceFile(path: "Sources/Top/Bad.swift", text: "internal import CLibrary\n")
        let foundation = SourceFile(path: "Sources/Middle/Bad.swift", text: "import Foundation\n")
        let fine = SourceFile(
            path: "Sources/Middle/Good.swift", text: "import Bottom\nimport Synchronization\n")
        let special = SourceFile(path: "Sources/RxCompatibility/Good.swift", text: "import Foundation\n")
        #expect(
            Rules.importComplaints(upwards, sample) == [
                "Sources/Bottom/Bad.swift: Bottom may not import Middle"
            ])
        #expect(
            Rules.importComplaints(library, sample) == ["Sources/Top/Bad.swift: Top may not import CLibrary"])
        #expect(
            Rules.importComplaints(foundation, sample)
                == ["Sources/Middle/Bad.swift: Middle may not import Foundation"])
        #expect(Rules.importComplaints(fine, sample).isEmpty)
        #expect(Rules.importComplaints(special, sample).isEmpty)
    }

    @Test("A dependency that no file imports is found")
    func unusedDependency() {
        let files = [
            SourceFile(path: "Sources/Middle/A.swift", text: "import Bottom\n"),
            SourceFile(path: "Sources/Top/A.swift", text: "import Middle\n"),
        ]
        #expect(
            Rules.dependencyComplaints(files, sample) == ["Middle declares CLibrary and imports it nowhere"])
    }

    @Test("The picture in Package.swift shows every module above the modules it imports")
    func pictureOfThePackage() throws {
        let file = try SourceTree.file("Package.swift")
        let picture = try #require(LayerPicture(file), "Package.swift has no picture of the layers")
        let complaints = try picture.complaints(SourceTree.manifest, showing: SourceTree.modules)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test(
        "A picture in a README shows every module above the modules it imports",
        arguments: ["README.md", "Sources/README.md"])
    func pictureOfTheReadme(path: String) throws {
        guard let file = try? SourceTree.file(path), let picture = LayerPicture(file) else { return }
        let complaints = try picture.complaints(SourceTree.manifest, showing: SourceTree.modules)
        #expect(complaints.isEmpty, "\(path):\n\(complaints.joined(separator: "\n"))")
    }

    private func picture(_ text: String) -> LayerPicture? {
        LayerPicture(SourceFile(path: "README.md", text: text))
    }

    private func complaints(_ text: String) throws -> [String] {
        let shown = try #require(picture(text))
        return shown.complaints(sample, showing: ["Top", "Middle", "Bottom", "CLibrary"])
    }

    @Test("A picture is found by its first line, in a comment, a fence or an indented block")
    func pictureIsFound() {
        let lines = [
            "layer  modules", "2  Top   the command", "1  Middle", "0", "   Bottom  SQLite, maybe",
            "-  CLibrary",
        ]
        let fence = "# Title\n\n```text\n" + lines.joined(separator: "\n") + "\n```\n\n3  Other\n"
        let comment = lines.map { "//     \($0)\n" }.joined() + "\nlet settings = 1\n"
        let layers = ["Top": 2, "Middle": 1, "Bottom": 0, "SQLite,": 0, "CLibrary": -1]
        #expect(picture(fence)?.layers == layers)
        #expect(picture(comment)?.layers == layers)
        #expect(picture("# Title\n\n1  Middle\n") == nil)
    }

    @Test("A difference between a picture and the targets is found")
    func wrongPicture() throws {
        let right = "layer  modules\n2  Top\n1  Middle\n0  Bottom\n-  CLibrary\n"
        #expect(try complaints(right).isEmpty)
        #expect(
            try complaints("layer  modules\n2  Top\n0  Middle\n1  Bottom\n-  CLibrary\n")
                == ["Middle imports Bottom, which is not in a layer below it"])
        #expect(
            try complaints("layer  modules\n2  Top\n1  Middle  Bottom\n-  CLibrary\n")
                == ["Middle imports Bottom, which is not in a layer below it"])
        #expect(try complaints("layer  modules\n2  Top\n1  Middle\n-  CLibrary\n") == ["Bottom has no layer"])
        #expect(try complaints(right + "-  CMore\n") == ["CMore is not a module"])
        #expect(try complaints(right + "-  Top\n").contains("Top stands in two layers"))
    }
}
