import Foundation

/// The public types of the products that programs import, read from the sources by their indentation.
struct PublicTypes {
    struct PublicType {
        /// With the types around it: `DisposeBag.DisposableBuilder`.
        let name: String
        let path: String
        /// The names of its public members, cases and requirements.
        var members: Set<String> = []

        var lastName: String { String(name.split(separator: ".").last ?? "") }
    }

    /// The modules of the products `Sluice`, `GatewayTesting`, `Networking` and `Rx`.
    static let modules: Set<String> = [
        "Rx", "Networking", "NetworkingSession", "HTTPModel", "JSONBytes", "JSONCoding", "GatewayCore",
        "GatewayHTTP", "GatewayTesting", "Sluice",
    ]

    private(set) var types: [String: PublicType] = [:]
    /// The types in the signatures of the public declarations of each name.
    private var signatures: [String: Set<String>] = [:]
    /// How many types have a member of that name.
    private var owners: [String: Int] = [:]

    /// Reads the files of `modules`, and of the types that they re-export from other modules.
    init(_ files: [SourceFile], modules: Set<String> = modules) {
        var exported: [String: Set<String>] = [:]
        for file in files where modules.contains(file.module) {
            for line in file.lines where line.hasPrefix("@_exported public import ") {
                let words = line.split(whereSeparator: { $0 == " " || $0 == "." })
                guard words.count == 6, !modules.contains(String(words[4])) else { continue }
                exported[String(words[4]), default: []].insert(String(words[5]))
            }
        }
        var members: [String: Set<String>] = [:]
        for file in files {
            if modules.contains(file.module) {
                read(file, only: nil, &members)
            } else if let names = exported[file.module] {
                read(file, only: names, &members)
            }
        }
        for name in types.keys { types[name]?.members = members[name] ?? [] }
        for names in members.values { for name in names { owners[name, default: 0] += 1 } }
    }

    // MARK: - Reading

    private struct Scope {
        let indent: Int
        let name: String
        let isProtocol: Bool
    }

    private mutating func read(
        _ file: SourceFile, only names: Set<String>?, _ members: inout [String: Set<String>]
    ) {
        let lines = file.lines
        var scopes: [Scope] = []
        var isHidden = false
        for index in lines.indices {
            let indent = lines[index].prefix { $0 == " " }.count
            let line = lines[index].dropFirst(indent)
            guard !line.isEmpty, !line.hasPrefix("//") else { continue }
            // Skips the bodies of functions.
            guard indent <= (scopes.last?.indent ?? -4) + 4 else { continue }
            if line.hasPrefix("}") {
                while let last = scopes.last, last.indent >= indent { scopes.removeLast() }
            }
            if line.hasPrefix("@_spi") { isHidden = true }
            guard let found = Self.declaration(line) else { continue }
            defer { isHidden = false }
            let outer = scopes.last
            let isRequirement = outer.map { $0.isProtocol && indent == $0.indent + 4 } ?? false
            let isPublic = found.isPublic || isRequirement
            switch found.kind {
            case "struct", "class", "enum", "protocol", "actor", "extension", "typealias":
                let isExtension = found.kind == "extension"
                let name = isExtension ? found.name : (outer.map { "\($0.name)." } ?? "") + found.name
                let isWanted = names?.contains(String(name.split(separator: ".").first ?? "")) ?? true
                if isPublic, isWanted, !isExtension, !isHidden, Self.isCounted(found.kind, name) {
                    types[name] = PublicType(name: name, path: file.path)
                }
                guard found.kind != "typealias", !line.hasSuffix("}") else { continue }
                scopes.append(Scope(indent: indent, name: name, isProtocol: found.kind == "protocol"))
            default:
                guard isPublic || found.kind == "case" else { continue }
                guard let outer else {
                    note(signature(lines, index), of: found.name)
                    continue
                }
                for name in found.kind == "case" ? Self.cases(line) : [found.name] {
                    members[outer.name, default: []].insert(name)
                    note(signature(lines, index), of: name)
                }
                if found.kind == "init" {
                    note(signature(lines, index), of: String(outer.name.split(separator: ".").last ?? ""))
                }
            }
        }
    }

    private mutating func note(_ types: Set<String>, of name: String) {
        signatures[name, default: []].formUnion(types)
    }

    /// Names of types that conformances to Swift's own protocols require are not counted, nor are names for
    /// other types within a type.
    private static func isCounted(_ kind: String, _ name: String) -> Bool {
        if kind == "typealias" { return !name.contains(".") }
        return !["Iterator", "AsyncIterator", "Interpolation"].contains { name.hasSuffix(".\($0)") }
    }

    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "actor", "extension", "typealias", "func", "var", "let",
        "case",
        "init", "subscript",
    ]
    private static let modifiers: Set<Substring> = [
        "public", "open", "package", "internal", "private", "fileprivate", "final", "indirect", "nonisolated",
        "static", "consuming", "mutating", "borrowing", "override", "required", "convenience", "lazy", "weak",
        "private(set)", "internal(set)", "package(set)", "fileprivate(set)",
    ]

    /// Returns what a line declares; nil for other lines, and for what is hidden.
    private static func declaration(_ line: Substring) -> (kind: String, name: String, isPublic: Bool)? {
        var isPublic = false
        var rest = line
        while true {
            let word = rest.prefix { $0 != " " && $0 != "(" && $0 != "<" && $0 != ":" }
            let whole = rest.prefix { $0 != " " }
            if word.hasPrefix("@") {
                if word == "@_spi" { return nil }
            } else if kinds.contains(word.drop { $0 == "`" }) {
                let after = rest.dropFirst(word.count).drop { $0 == " " || $0 == "`" }
                let isName: (Character) -> Bool = { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
                let name = word == "init" || word == "subscript" ? word : after.prefix(while: isName)
                return (String(word), String(name), isPublic)
            } else if !modifiers.contains(whole) {
                return nil
            }
            isPublic = isPublic || word == "public" || word == "open"
            rest = rest.dropFirst(whole.count).drop { $0 == " " }
            if rest.isEmpty { return nil }
        }
    }

    /// Returns the cases of a line: `closed` and `open` for `case closed, open(until: Int64)`.
    private static func cases(_ line: Substring) -> [String] {
        var depth = 0
        var names: [String] = [""]
        for character in Rules.withoutComment(line).drop(while: { $0 != " " }) {
            switch character {
            case "(", "[", "<": depth += 1
            case ")", "]", ">": depth -= 1
            case "," where depth == 0: names.append("")
            case "=" where depth == 0: return names
            case _ where depth == 0 && (character.isLetter || character.isNumber || character == "_"):
                names[names.count - 1].append(character)
            default: break
            }
        }
        return names
    }

    /// Returns the capitalized words of a declaration up to its body.
    private func signature(_ lines: [Substring], _ index: Int) -> Set<String> {
        var text = ""
        for line in lines[index...].prefix(14) {
            text += Rules.withoutComment(line).replacing("->", with: " ") + " "
            let isOpen = text.count { $0 == "(" || $0 == "<" } > text.count { $0 == ")" || $0 == ">" }
            if !isOpen || line.hasSuffix("{") || line.hasSuffix("}") { break }
        }
        return Set(Self.words(text[...]).filter { $0.first?.isUppercase == true }.map(String.init))
    }

    private static func words(_ text: Substring) -> [Substring] {
        text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    }

    // MARK: - Uses

    /// Members that code uses without their names.
    private static let implicit: Set<String> = [
        "callAsFunction", "dynamicallyCall", "subscript", "makeAsyncIterator",
    ]

    /// Complains about each type that the code of pages does not use, and about exceptions that are used.
    ///
    /// Code uses a type in one of three ways:
    ///
    /// 1. it has its name;
    /// 2. it uses a member (`.member`) that no other type has;
    /// 3. it uses a member that other types have too, or the type has none, and it names a declaration with
    ///    the type in its signature: the compiler infers the type of `client` in `client.get("/")`.
    func complaints(_ code: [String], except exceptions: Set<String>) -> [String] {
        var names: Set<Substring> = []
        var members: Set<String> = []
        for line in code.map({ Rules.withoutComment($0[...]) }) {
            names.formUnion(Self.words(line))
            for part in line.split(separator: ".", omittingEmptySubsequences: false).dropFirst() {
                members.insert(String(part.prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
            }
        }
        var inferred: Set<String> = []
        for name in names { inferred.formUnion(signatures[String(name)] ?? []) }
        let unused = types.values.filter { type in
            guard !names.contains(type.lastName[...]) else { return false }
            let own = type.members.subtracting(["init", "description"])
            let used = own.intersection(members)
            if used.contains(where: { owners[$0] == 1 }) { return false }
            let isCalled = !own.isDisjoint(with: Self.implicit)
            let mayBeInferred = own.isEmpty || !used.isEmpty || isCalled
            return !mayBeInferred || !inferred.contains(type.lastName)
        }
        let unusedNames = Set(unused.map(\.name))
        return unused.filter { !exceptions.contains($0.name) }.map {
            "\($0.path): no compiled code of a page uses \($0.name)"
        }.sorted()
            + exceptions.subtracting(unusedNames).sorted().map {
                "\($0) is used or gone: remove it from the exceptions"
            }
    }
}
