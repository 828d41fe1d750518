import Testing

/// Modules without sockets need nothing that only Linux has. Nobody builds them elsewhere yet.
@Suite("Modules without sockets and the C library")
struct PlatformTests {
    private let manifest = Manifest(
        """
        module("EventIO"),
        module("Locking"),
        module("Rx", ["Locking"]),
        module("GatewayHTTP", ["EventIO", "Rx"]),
        """)

    private func complaints(_ text: String, in module: String = "Rx") -> [String] {
        Rules.platformComplaints(SourceFile(path: "Sources/\(module)/A.swift", text: text), manifest)
    }

    @Test("A bare import of Glibc and a name of Linux are found in a module without sockets only")
    func findsNames() {
        let bare = "import Dispatch\nimport Glibc\n"
        #expect(
            complaints(bare) == ["Sources/Rx/A.swift:2: import Glibc belongs below #if canImport(Glibc)"])
        #expect(complaints(bare, in: "EventIO").isEmpty)
        #expect(complaints(bare, in: "GatewayHTTP").isEmpty)
        #expect(complaints("#if DEBUG\n    import Glibc\n#endif\n").count == 1)
        #expect(complaints("#if canImport(Glibc)\n#else\n    import Glibc\n#endif\n").count == 1)
        for line in [
            "Glibc.read(a, b, c)", "let time = status.st_mtim", "eventfd(0, 0)", "epoll_wait(a)",
            "let a = UInt(pthread_self())", "socket(a, SOCK_CLOEXEC, 0)",
        ] {
            #expect(complaints(line).count == 1, "\(line)")
        }
    }

    @Test("A guarded import, guarded names and names of all systems are allowed")
    func ignoresGuards() {
        let guarded = """
            #if canImport(Glibc)
                import Glibc
            #else
                import Darwin
            #endif

            #if DEBUG
                #if canImport(Glibc)
                    let time = status.st_mtim
                #else
                    let time = status.st_mtimespec
                #endif
            #endif
            // Glibc.read, eventfd
            let a = UInt(bitPattern: pthread_self())
            read(a, b, c)
            """
        #expect(complaints(guarded).isEmpty)
    }

    @Test("No module without sockets has a name that only Linux has")
    func modules() throws {
        let manifest = try SourceTree.manifest
        let modules = try SourceTree.modules.filter {
            $0 != "EventIO" && !manifest.needs(of: $0).contains("EventIO")
        }
        #expect(modules.isSuperset(of: ["Locking", "Rx", "Networking", "GatewayCore", "HTTPWire"]))
        let complaints = try SourceTree.sources.flatMap { Rules.platformComplaints($0, manifest) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }
}

/// The container in which gateways are built on other systems.
@Suite("The container for development")
struct DevelopmentContainerTests {
    @Test("It has the libraries that the Makefile installs")
    func libraries() throws {
        let makefile = try SourceTree.file("Makefile").text
        let packages = try #require(makefile.firstMatch(of: /\nPACKAGES = ([^\n]+)\n/)).output.1
        let image = try SourceTree.file("docker/development/Dockerfile").text
        #expect(image.contains("--no-install-recommends \(packages) \\\n"))
    }

    @Test("It has the toolchain of the image, and the page for a Mac shows its settings")
    func settings() throws {
        func base(_ path: String) throws -> Substring? {
            try SourceTree.file(path).lines.first { $0.hasPrefix("FROM ") }?.split(separator: " ")[1]
        }
        #expect(try base("docker/development/Dockerfile") == base("docker/Dockerfile"))
        let settings = try SourceTree.file("docker/development/devcontainer.json").text
        let page = try SourceTree.file("Sources/GatewayCore/GatewayCore.docc/WorkingOnAMac.md")
        #expect(Documentation.blocks(page).contains { $0.lines.joined(separator: "\n") + "\n" == settings })
    }
}
