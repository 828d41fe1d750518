import Foundation
import Testing

/// What runs the tests and the other checks. The scripts run for real, on programs and files of the test.
@Suite("The checks")
struct CheckTests {
    // MARK: Which tests run in which process

    @Test("A test target that needs TestSupport runs in the first process, each other one in one of two")
    func division() throws {
        let manifest = try SourceTree.manifest
        func targets(_ options: String...) throws -> [String] {
            let command = try Command(["Tests/package.py", "tests"] + options, in: SourceTree.root)
            #expect(command.status == 0, "\(command.output)")
            return command.output.split(separator: "\n").map(String.init).sorted()
        }
        let sockets = manifest.testTargets.filter { manifest.needs(of: $0).contains("TestSupport") }
        let pure = manifest.testTargets.filter { !sockets.contains($0) }
        #expect(sockets.contains("HTTPOutboundTests") && pure.contains("GatewayConfigTests"))
        #expect(try targets("--with", "TestSupport") == sockets)
        let first = try targets("--without", "TestSupport", "--part", "1/2")
        let second = try targets("--without", "TestSupport", "--part", "2/2")
        #expect((first + second).sorted() == pure)
        #expect(abs(first.count - second.count) < pure.count / 2)
    }

    @Test("Of a build of some targets, only these are tested")
    func partialBuild() throws {
        func targets(_ option: String) throws -> String {
            let command = try Command(
                ["Tests/package.py", "tests", option, "TestSupport", "--regex"], in: SourceTree.root,
                environment: ["SLUICE_TARGETS": "RxTests LockingTests"])
            #expect(command.status == 0, "\(command.output)")
            return command.output
        }
        #expect(try targets("--without") == "^(LockingTests|RxTests)\\.\n")
        #expect(try targets("--with").isEmpty)
    }

    @Test("A test target that does not need TestSupport opens no socket")
    func pureTestsOpenNoSocket() throws {
        let manifest = try SourceTree.manifest
        let complaints = try SourceTree.tests.flatMap { Rules.socketComplaints($0, manifest) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A socket or a loop in such a target is found, in a target that needs TestSupport it is not")
    func aSocketIsFound() {
        let manifest = Manifest(
            """
            module("EventIO"), module("TestSupport", ["EventIO"]),
            tests("ConfigTests", ["EventIO"]), tests("SessionTests", ["EventIO", "TestSupport"]),
            """)
        func complaints(_ path: String, _ text: String) -> [String] {
            Rules.socketComplaints(SourceFile(path: path, text: text), manifest)
        }
        let text = "import Glibc\nlet descriptor = socket(AF_INET, 0, 0)\n"
        #expect(
            complaints("Tests/ConfigTests/A.swift", text) == [
                "Tests/ConfigTests/A.swift:2: opens a socket without TestSupport"
            ])
        let loop = "import NetworkingSession\nlet session = try Session()\nlet loop = try EventLoop()\n"
        #expect(
            complaints("Tests/ConfigTests/A.swift", loop) == [
                "Tests/ConfigTests/A.swift:2: opens a socket without TestSupport",
                "Tests/ConfigTests/A.swift:3: opens a socket without TestSupport",
            ])
        #expect(complaints("Tests/ConfigTests/A.swift", "let session = Session()\n").isEmpty)
        #expect(
            complaints(
                "Tests/ConfigTests/A.swift",
                "a.socket(1)\n// socket(1)\nfunc socket() {}\nprint(\"socket(1)\")\n"
            ).isEmpty)
        #expect(complaints("Tests/SessionTests/A.swift", text).isEmpty)
    }

    @Test("The name of a module that does not exist is an error")
    func unknownModule() throws {
        let command = try Command(["Tests/package.py", "tests", "--without", "Nowhere"], in: SourceTree.root)
        #expect(command.status == 1)
        #expect(command.output.contains("Package.swift has no target Nowhere"))
    }

    // MARK: Which parsers are fuzzed

    @Test("A fuzz target is left out unless a file of it or of a module that it links differs from the base")
    func changedFuzzTargets() throws {
        let folder = try Folder()
        try folder.copy("Package.swift", "Sources", "Tests/package.py", "Tests/Fuzz")
        // Package.swift's other targets need folders, not files.
        func git(_ words: String...) throws {
            let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
            let command = try Command(["git"] + identity + words, in: folder.url)
            try #require(command.status == 0, "\(command.output)")
        }
        func targets(base: String = "HEAD") throws -> [String] {
            let command = try Command(["Tests/Fuzz/run", "--list", "--base", base, "1"], in: folder.url)
            try #require(command.status == 0, "\(command.output)")
            return command.output.split(separator: "\n").map(String.init)
        }
        try git("init", "--quiet")
        try git("add", "--all")
        try git("commit", "--quiet", "--message", "base")
        #expect(try targets().isEmpty)

        try folder.write("Sources/GatewayCore/Added.swift", "")
        #expect(try targets() == ["Configs", "Fields", "Multiparts", "Relays", "Routes", "Works"])
        try git("add", "--all")
        try git("commit", "--quiet", "--message", "change")
        #expect(try targets().isEmpty)
        #expect(
            try targets(base: "HEAD~1") == ["Configs", "Fields", "Multiparts", "Relays", "Routes", "Works"])

        try folder.write("Tests/Fuzz/Seeds/Chunks/added", "")
        try folder.write("Sources/GatewayHTTP/StaticFiles/FilePath.swift", "")
        #expect(try targets() == ["Chunks", "Files", "Relays"])

        let without = try targets(base: "HEAD~5")
        #expect(without.first == "fuzz: there is no commit HEAD~5 here: all targets are run")
        #expect(without.count > 15)
    }

    // MARK: The steps of CI

    @Test("CI stops at the first step that fails and prints the seconds of each step")
    func steps() throws {
        let folder = try Folder()
        try folder.copy(".ci", "Tests/steps")
        try folder.write("bin/make", "#!/bin/sh\necho \"made $*\"\n[ \"$1\" != test ] || exit 3\n")
        let path = "\(folder.url.path)/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        let command = try Command(
            ["sh", ".ci/run"], in: folder.url, environment: ["PATH": path, "MAKE": "make"])
        #expect(command.status == 3)
        #expect(command.output.hasPrefix("made lint\n"))
        let parts = command.output.split(separator: "\nseconds of each step:\n")
        try #require(parts.count == 2)
        let steps = parts[0].matches(of: /made (.*)/).map { "\($0.1)" }
        #expect(steps.last?.hasPrefix("test ") == true)
        let shown = parts[1].matches(of: /(?m)^ +\d+  make (\w\S*)/).map { "\($0.1)" }
        #expect(shown == steps.map { String($0.prefix { $0 != " " }) })
    }
}
