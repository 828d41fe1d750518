/// The targets that Package.swift declares, read from its text.
struct Manifest {
    /// The declared dependencies of each target, by the target's name.
    let dependencies: [String: Set<String>]

    init(_ text: String) {
        let code = text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }
            .joined(separator: "\n")
        let helper = /\b(?:module|tests|benchmark)\(\s*"(\w+)"(?:,\s*\[([^\]]*)\])?/
        let target =
            /\.(?:target|executableTarget|testTarget|systemLibrary)\(\s*name:\s*"(\w+)"(?:,\s*dependencies:\s*\[([^\]]*)\])?/
        var dependencies: [String: Set<String>] = [:]
        for match in code.matches(of: helper) { dependencies["\(match.1)"] = Self.names(in: match.2) }
        for match in code.matches(of: target) { dependencies["\(match.1)"] = Self.names(in: match.2) }
        self.dependencies = dependencies
    }

    /// Returns all that a target needs.
    func needs(of target: String) -> Set<String> {
        var found: Set<String> = []
        var open = [target]
        while let name = open.popLast() {
            open += dependencies[name, default: []].subtracting(found)
            found.formUnion(dependencies[name, default: []])
        }
        return found
    }

    /// The test targets: all whose names end in `Tests`.
    var testTargets: [String] { dependencies.keys.filter { $0.hasSuffix("Tests") }.sorted() }

    private static func names(in list: Substring?) -> Set<String> {
        Set((list ?? "").matches(of: /"(\w+)"/).map { "\($0.1)" })
    }
}

/// A picture of the modules in layers, in a comment or a text.
///
///     layer  modules
///     1      HTTPWire   EventIO          words that begin in lower case and what follows them are left out
///            ContentCoding               a line without a number goes on with the layer above it
///     0      Rx   HTTPModel
///     -      CLibevent                   system libraries
///
/// The first line finds the block, and a line without text or a fence ends it.
struct LayerPicture {
    /// The layer of each module, 0 for the lowest and -1 for the system libraries.
    private(set) var layers: [String: Int] = [:]
    /// Modules that the picture shows more than once.
    private(set) var repeated: [String] = []

    /// Nil if the text has no such block.
    init?(_ file: SourceFile) {
        let lines = file.lines.map { $0.drop { $0 == " " || $0 == "/" } }
        guard let first = lines.firstIndex(where: { $0.split(separator: " ") == ["layer", "modules"] })
        else { return nil }
        var layer: Int?
        for line in lines[(first + 1)...] {
            var words = line.split(separator: " ")
            guard let start = words.first, !start.hasPrefix("```") else { break }
            if let number = start == "-" ? -1 : Int(start) {
                layer = number
                words.removeFirst()
            }
            guard let layer else { break }
            for word in words.prefix(while: { $0.first?.isLowercase == false }) {
                let name = "\(word)"
                if layers.updateValue(layer, forKey: name) != nil { repeated.append(name) }
            }
        }
    }

    /// Returns the differences between the picture and the targets.
    ///
    /// - Parameter modules: The targets that the picture must show. It may show no others.
    func complaints(_ manifest: Manifest, showing modules: Set<String>) -> [String] {
        var complaints = repeated.map { "\($0) stands in two layers" }
        complaints += layers.keys.filter { !modules.contains($0) }.map { "\($0) is not a module" }
        complaints += modules.filter { layers[$0] == nil }.map { "\($0) has no layer" }
        for (module, layer) in layers {
            for imported in manifest.dependencies[module] ?? [] {
                guard let other = layers[imported], other >= layer else { continue }
                complaints.append("\(module) imports \(imported), which is not in a layer below it")
            }
        }
        return complaints.sorted()
    }
}
