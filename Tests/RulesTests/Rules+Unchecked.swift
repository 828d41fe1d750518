/// A declaration that the compiler does not check.
private struct UncheckedDeclaration {
    /// The index of the line with the unchecked form.
    let index: Int
    /// The indices of the declaration's lines up to that one.
    let head: ClosedRange<Int>
    /// The comments above the declaration and on its lines.
    let reason: String

    var addsOnlyConstants: Bool { reason.contains("adds only constants") }
}

extension Rules {
    private static let sendable = "@unchecked Sendable"

    private static func uncheckedDeclarations(_ file: SourceFile, _ form: String) -> [UncheckedDeclaration] {
        let lines = file.lines
        return lines.indices.filter { withoutComment(lines[$0]).contains(form) }.map { index in
            // A declaration may take several lines, and attributes may stand above it.
            var first = index
            while first > 0, !withoutComment(lines[first]).contains(/\b(class|struct|extension|var|let)\b/) {
                first -= 1
            }
            let head = first...index
            while first > 0, lines[first - 1].contains(/^\s*[@#]/) { first -= 1 }
            while first > 0, lines[first - 1].contains(/^\s*\/\//) { first -= 1 }
            let comments = lines[first...index].compactMap { line in
                line.firstRange(of: "//").map { line[$0.upperBound...].drop { $0 == "/" || $0 == " " } }
            }
            return UncheckedDeclaration(index: index, head: head, reason: comments.joined(separator: " "))
        }
    }

    /// Complains about each `@unchecked Sendable` and `nonisolated(unsafe)` without a comment directly above
    /// its declaration or on its line, and about stored variables of a type that says that it adds only
    /// constants. It does not check the types of the constants.
    static func uncheckedComplaints(_ file: SourceFile) -> [String] {
        let silent = [sendable, "nonisolated(unsafe)"].flatMap { form in
            uncheckedDeclarations(file, form).filter(\.reason.isEmpty).map {
                "\(file.path):\($0.index + 1): does not say what protects it"
            }
        }
        let wrong = uncheckedDeclarations(file, sendable).filter(\.addsOnlyConstants).flatMap {
            storedVariables(file.lines, $0.head.lowerBound).map {
                "\(file.path):\($0 + 1): stores a variable in a type that adds only constants"
            }
        }
        return silent + wrong
    }

    /// Returns the indices of the lines with stored variables of the type that is declared at `first`.
    private static func storedVariables(_ lines: [Substring], _ first: Int) -> [Int] {
        var found: [Int] = []
        var depth = 0
        for index in lines.indices[first...] {
            // The declarations of the type itself, with a brace for each body.
            var members = ""
            for character in withoutComment(lines[index]).replacing(/"[^"]*"/, with: "") {
                if character == "}" { depth -= 1 }
                if depth == 1 { members.append(character) }
                if character == "{" { depth += 1 }
                if character == "}", depth == 0 { break }
            }
            let next = index + 1 < lines.count ? lines[index + 1] : ""
            if isStoredVariable(members, "\(lines[index])\n\(next)") { found.append(index) }
            if depth == 0, lines[index].contains("}") { break }
        }
        return found
    }

    /// Returns whether `members` declares a stored variable. `text` is its line and the next one.
    private static func isStoredVariable(_ members: String, _ text: String) -> Bool {
        guard let keyword = members.firstRange(of: /\bvar\b/), !members.contains(/\bstatic\b/) else {
            return false
        }
        let rest = members[keyword.upperBound...]
        guard let brace = rest.firstIndex(of: "{") else { return true }
        if let value = rest.firstIndex(of: "="), value < brace { return true }
        return text.contains(/\{\s*(didSet|willSet)\b/)
    }

    /// How many lines of each module use a form that the compiler cannot check. The numbers may only fall.
    /// Types that add only constants do not count: `uncheckedComplaints` proves it.
    static let caps: [String: [String: Int]] = [
        "@exclusivity": ["Rx": 23],
        "@unchecked Sendable": [
            "EventIO": 6, "HTTPOutbound": 2, "Metrics": 1, "Networking": 1, "NetworkingSession": 3, "Rx": 29,
            "RxTesting": 1, "RxVirtualTime": 1,
        ],
        "unsafeDowncast": ["EventIO": 1, "Rx": 23, "RxVirtualTime": 3],
        "Unmanaged": ["EventIO": 27, "Rx": 22, "SharedStore": 2],
        "nonisolated(unsafe)": ["Crypto": 1, "EventIO": 1, "JSONSchema": 1],
    ]

    /// Complains about each module that uses such a form more or less often than its cap.
    static func capComplaints(_ files: [SourceFile], _ caps: [String: [String: Int]] = caps) -> [String] {
        caps.flatMap { form, caps in
            var counts: [String: Int] = [:]
            for file in files {
                let count =
                    form == sendable ? unproven(file) : file.lines.count { withoutComment($0).contains(form) }
                if count > 0 { counts[file.module, default: 0] += count }
            }
            return Set(counts.keys).union(caps.keys).compactMap { module -> String? in
                let (count, cap) = (counts[module] ?? 0, caps[module] ?? 0)
                if count > cap { return "\(module): \(count) lines with \(form), at most \(cap)" }
                return count < cap ? "\(module): lower the cap of \(form) to \(count)" : nil
            }
        }.sorted()
    }

    private static func unproven(_ file: SourceFile) -> Int {
        uncheckedDeclarations(file, sendable).count { !$0.addsOnlyConstants }
    }
}
