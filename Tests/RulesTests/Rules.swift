enum Rules {
    /// Which modules of ours, and which C libraries, each module may import. An arrow never points up.
    private static let layers: [String: Set<String>] = [
        "Locking": [],
        "Rx": ["Locking"],
        "RxFoundation": ["Rx", "Foundation"],
        "NetworkingCompatibility": ["Networking", "JSONBytes", "Foundation"],
        "RxBlocking": ["Rx", "Locking", "Foundation"],
        "RxTesting": ["Rx", "Locking", "Testing", "XCTest"],
        "ASCIIText": [],
        "HTTPModel": ["ASCIIText"],
        "JSONBytes": ["ASCIIText"],
        "JSONCoding": ["JSONBytes", "ASCIIText"],
        "EventIO": ["CLibevent", "COpenSSL", "CLinux", "Rx", "Locking"],
        "HTTPWire": ["HTTPModel", "ASCIIText"],
        "ContentCoding": ["CZlib", "CBrotli"],
        "HTTPInbound": ["EventIO", "HTTPWire", "HTTPModel", "Rx"],
        "HTTPOutbound": ["EventIO", "HTTPWire", "ContentCoding", "HTTPModel", "ASCIIText", "Rx", "Locking"],
        "Networking": ["Rx", "HTTPModel", "JSONBytes", "JSONCoding", "ASCIIText", "Locking"],
        "NetworkingSession": [
            "Networking", "HTTPOutbound", "EventIO", "HTTPModel", "JSONBytes", "Rx", "Locking",
        ],
        "GatewayCore": ["Networking", "Rx", "HTTPModel", "JSONBytes", "JSONCoding", "ASCIIText", "Locking"],
        "GatewayHTTP": [
            "GatewayCore", "NetworkingSession", "Networking", "HTTPInbound", "HTTPOutbound", "EventIO",
            "ContentCoding", "HTTPModel", "JSONBytes", "ASCIIText", "Rx", "Locking",
        ],
        "SampleUpstreams": ["CSQLite", "HTTPInbound", "EventIO", "HTTPModel", "JSONBytes", "Rx", "Locking"],
        "SluiceCommand": [
            "GatewayHTTP", "SampleUpstreams", "GatewayCore", "Networking", "EventIO", "Rx", "JSONBytes",
            "HTTPModel", "CPages",
        ],
        "Sluice": [
            "Rx", "Networking", "NetworkingSession", "GatewayCore", "GatewayHTTP", "JSONCoding", "JSONBytes",
            "HTTPModel",
        ],
        "GatewayTesting": [
            "GatewayHTTP", "GatewayCore", "Networking", "HTTPInbound", "HTTPOutbound", "EventIO", "Rx",
            "HTTPModel",
            "JSONBytes",
            "Locking",
        ],
    ]

    private static let system: Set<String> = [
        "Swift", "Synchronization", "Dispatch", "FoundationEssentials", "Glibc",
    ]

    static func importComplaints(_ file: SourceFile) -> [String] {
        let allowed = (layers[file.module] ?? []).union(system)
        return file.lines.compactMap { line -> String? in
            guard let name = importedModule(line), !allowed.contains(name) else { return nil }
            return "\(file.path): \(file.module) may not import \(name)"
        }
    }

    /// Modules whose generics have to be specialised for their users.
    private static let specialised: Set<String> = ["Rx", "JSONBytes", "JSONCoding", "Networking"]

    /// A module that imports another one as `package` is specialised for nobody: a request costs a few per cent more.
    static func specialisationComplaints(_ file: SourceFile) -> [String] {
        guard specialised.contains(file.module) else { return [] }
        return file.lines.compactMap { line in
            guard line.hasPrefix("package import"), let name = importedModule(line) else { return nil }
            return "\(file.path): importing \(name) as package keeps \(file.module) from being specialised"
        }
    }

    /// `Rx` for `@_exported public import class Rx.Observable`.
    private static func importedModule(_ line: Substring) -> String? {
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

    private static let mayBeUnchecked: Set<String> = ["EventIO", "Rx", "Locking"]

    static func uncheckedComplaints(_ file: SourceFile) -> [String] {
        let lines = file.lines
        return lines.indices.compactMap { index -> String? in
            let code = withoutComment(lines[index])
            guard code.contains("@unchecked Sendable") || code.contains("nonisolated(unsafe)") else {
                return nil
            }
            let place = "\(file.path):\(index + 1)"
            if restatesSuperclass(lines[max(0, index - 2)...index]) { return nil }
            guard mayBeUnchecked.contains(file.module) else { return "\(place): not in \(file.module)" }
            let around = lines[max(0, index - 12)...min(lines.count - 1, index + 3)]
            return around.contains { $0.contains("//") } ? nil : "\(place): says not what protects it"
        }
    }

    /// Whether a declaration only repeats the conformance of its superclass, which says what protects it: the
    /// compiler wants that of each subclass.
    private static func restatesSuperclass(_ lines: ArraySlice<Substring>) -> Bool {
        lines.joined(separator: " ").contains(
            /class \w+(<.*>)?:\s*([A-Z]\w*<|LoopDisposable,|OutboundCall,).*@unchecked Sendable/)
    }

    static func forceComplaints(_ file: SourceFile) -> [String] {
        file.lines.enumerated().compactMap { index, line -> String? in
            let code = withoutComment(line)
            guard code.contains("try!") || code.contains(" as! ") else { return nil }
            return "\(file.path):\(index + 1): forced"
        }
    }

    private static func withoutComment(_ line: Substring) -> Substring {
        guard let comment = line.firstRange(of: "//") else { return line }
        return line[..<comment.lowerBound]
    }
}
