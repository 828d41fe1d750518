enum Rules {
    private static let system: Set<String> = [
        "Swift", "Synchronization", "Dispatch", "FoundationEssentials", "Glibc", "Darwin",
    ]

    /// The modules that may import Foundation or a test library. The other modules do without.
    private static let special: [String: Set<String>] = [
        "RxCompatibility": ["Foundation"], "NetworkingCompatibility": ["Foundation"],
        "RxBlocking": ["Foundation"],
        "RxTesting": ["Testing", "XCTest"],
    ]

    /// Complains about imports that the module's target in Package.swift does not declare. Swift itself
    /// accepts an import of any module that happens to be built before.
    static func importComplaints(_ file: SourceFile, _ manifest: Manifest) -> [String] {
        let allowed = (manifest.dependencies[file.module] ?? []).union(system)
            .union(special[file.module] ?? [])
        return file.lines.compactMap { line -> String? in
            guard let name = importedModule(line), !allowed.contains(name) else { return nil }
            return "\(file.path): \(file.module) may not import \(name)"
        }
    }

    /// Complains about dependencies that a target declares and no file of its module imports.
    static func dependencyComplaints(_ files: [SourceFile], _ manifest: Manifest) -> [String] {
        let imported = Dictionary(grouping: files, by: \.module).mapValues {
            Set($0.flatMap(\.lines).compactMap(importedModule))
        }
        return imported.flatMap { module, names in
            (manifest.dependencies[module] ?? []).subtracting(names).map {
                "\(module) declares \($0) and imports it nowhere"
            }
        }.sorted()
    }

    /// Modules whose generics must be specialised for other modules.
    private static let specialised: Set<String> = ["Rx", "JSONBytes", "JSONCoding", "Networking"]

    /// Complains about `package import` in these modules. It prevents their specialisation, and a request
    /// costs a few per cent more.
    static func specialisationComplaints(_ file: SourceFile) -> [String] {
        guard specialised.contains(file.module) else { return [] }
        return file.lines.compactMap { line in
            guard line.hasPrefix("package import"), let name = importedModule(line) else { return nil }
            return "\(file.path): importing \(name) as package keeps \(file.module) from being specialised"
        }
    }

    /// Returns the module that a line imports: `Rx` for `@_exported public import class Rx.Observable`.
    static func importedModule(_ line: Substring) -> String? {
        let words = line.split(separator: " ").map(String.init)
        guard let keyword = words.firstIndex(of: "import"),
            words[..<keyword].allSatisfy({
                ["public", "internal", "private", "fileprivate", "package"].contains($0) || $0.hasPrefix("@")
            })
        else { return nil }
        let kinds: Set = ["class", "struct", "enum", "protocol", "func", "var", "let", "typealias"]
        let rest = words[(keyword + 1)...].drop { kinds.contains($0) }
        return rest.first.map { String($0.split(separator: ".")[0]) }
    }

    static func lengthComplaints(_ file: SourceFile) -> [String] {
        let limit =
            file.path.hasSuffix("StateMachine.swift") || file.path.hasSuffix("Parser.swift") ? 600 : 400
        let count = file.lines.count
        return count > limit + 1 ? ["\(file.path): \(count) lines, at most \(limit)"] : []
    }

    static func forceComplaints(_ file: SourceFile) -> [String] {
        file.lines.enumerated().compactMap { index, line -> String? in
            let code = withoutComment(line)
            guard code.contains("try!") || code.contains(" as! ") else { return nil }
            return "\(file.path):\(index + 1): forced"
        }
    }

    /// Complains about waits of tests that nothing ends. The helpers of Tests/Waiting have a deadline.
    static func waitComplaints(_ file: SourceFile) -> [String] {
        let lines = file.lines.map(withoutComment)
        return lines.indices.compactMap { index -> String? in
            // The searches below are slow.
            guard lines[index].contains("yield()") || lines[index].contains(".wait()") else { return nil }
            let before = index > 0 && lines[index - 1].hasSuffix("{") ? lines[index - 1] : ""
            let loop = before + lines[index]
            let yields = lines[index].contains(/(^|\{)\s*(await Task\.yield|sched_yield)\(\)\s*(\}|$)/)
            let isLoop = yields && loop.contains(/\bwhile\b/) && !loop.contains("Task.isCancelled")
            let isBlocked = lines[index].contains(".wait()") && !lines[index].contains("await ")
            return isLoop || isBlocked ? "\(file.path):\(index + 1): waits without a deadline" : nil
        }
    }

    static func withoutComment(_ line: Substring) -> Substring {
        guard let comment = line.firstRange(of: "//") else { return line }
        return line[..<comment.lowerBound]
    }
}

extension Rules {
    /// Complains about a socket, a loop or a session that a test makes although its target does not need
    /// `TestSupport`. Such targets run in processes of their own, beside the one in which sockets are used.
    static func socketComplaints(_ file: SourceFile, _ manifest: Manifest) -> [String] {
        var calls = ["socket(", "socketpair(", "listen(", "getaddrinfo(", "EventLoop(", "EventLoopGroup("]
        if file.text.contains("import NetworkingSession") { calls.append("Session(") }
        guard calls.contains(where: file.text.contains), manifest.testTargets.contains(file.module),
            !manifest.needs(of: file.module).contains("TestSupport")
        else { return [] }
        return file.lines.enumerated().compactMap { index, line -> String? in
            let code = withoutComment(line).replacing(/"[^"]*"/, with: "")
            let words = code.split { !($0.isLetter || $0.isNumber || "_.(".contains($0)) }
            let isCalled = words.contains { word in calls.contains(where: word.hasPrefix) }
            guard isCalled, !words.contains("func") else { return nil }
            return "\(file.path):\(index + 1): opens a socket without TestSupport"
        }
    }
}
