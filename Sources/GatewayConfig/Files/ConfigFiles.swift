import ASCIIText
import EndpointPlans
import EventIO

/// Reads a configuration's files: the root file and those that it includes.
struct ConfigFiles {
    /// The most bytes of a file.
    static let largestFile = 8 << 20
    /// The most files, the root file included.
    static let mostFiles = 256

    let source: any ConfigSource
    let variables: VariableReader
    let problems: ProblemList

    /// The names of the files, in the order of reading. Places have the index of their file.
    private(set) var names: [String] = []
    /// The values of the files that could be read.
    private(set) var roots: [(file: Int, node: YAMLNode)] = []
    /// Whether each file is known and could be read.
    var isComplete = true
    private var nodeCount = 0
    /// Of the bytes of all files, in the order of reading, without variables and secrets.
    let digest = SHA256()

    init(_ source: any ConfigSource, _ variables: VariableReader, _ problems: ProblemList) {
        self.source = source
        self.variables = variables
        self.problems = problems
    }

    /// Reads the root file. Returns its value; nil after a problem.
    mutating func readRoot(_ path: String) -> YAMLNode? {
        names = [path]
        do throws(ConfigSourceError) {
            return compose(try source.read(path, limit: Self.largestFile))
        } catch {
            isComplete = false
            problems.error("the file cannot be read: \(error.message)", at: .start(of: 0))
            return nil
        }
    }

    /// Reads the files that the root file includes.
    mutating func include(_ patterns: [Located<String>]) {
        for pattern in patterns {
            for path in paths(pattern) {
                guard names.count < Self.mostFiles else {
                    isComplete = false
                    return problems.error("more than \(Self.mostFiles) files", at: pattern.place)
                }
                read(path, pattern)
            }
        }
    }

    private mutating func read(_ path: String, _ pattern: Located<String>) {
        do throws(ConfigSourceError) {
            let bytes = try source.read(path, limit: Self.largestFile)
            names.append(path)
            _ = compose(bytes)
        } catch {
            isComplete = false
            problems.error(
                "the file \"\(Shown.text(path))\" cannot be read: \(error.message)", at: pattern.place)
        }
    }

    private mutating func compose(_ bytes: [UInt8]) -> YAMLNode? {
        digest.append(bytes)
        let variables = variables
        var composer = YAMLComposer(
            file: names.count - 1, nodeCount: nodeCount, problems: problems,
            scalar: { variables.scalar($0, $1, at: $2) })
        let root = composer.compose(bytes)
        nodeCount = composer.nodeCount
        if let root { roots.append((names.count - 1, root)) } else { isComplete = false }
        return root
    }

    /// Returns the files of an entry of `include` that were not read before.
    private mutating func paths(_ pattern: Located<String>) -> [String] {
        guard !pattern.value.isEmpty, pattern.value.utf8.first != Byte.slash else {
            isComplete = false
            problems.error("include takes paths relative to this file", at: pattern.place)
            return []
        }
        let folder = names[0].utf8.lastIndex(of: Byte.slash).map { String(names[0][...$0]) } ?? ""
        let path = folder + pattern.value
        guard pattern.value.utf8.contains(where: { "*?[".utf8.contains($0) }) else {
            guard !names.contains(path) else {
                problems.error("the file \"\(Shown.text(path))\" is included twice", at: pattern.place)
                return []
            }
            return [path]
        }
        do throws(ConfigSourceError) {
            let found = try source.paths(matching: Self.escaped(folder) + pattern.value)
            if found.isEmpty { problems.error("no file matches this pattern", at: pattern.place) }
            // A pattern such as *.yaml may match the root file, or files that are included by name.
            return found.filter { !names.contains($0) }
        } catch {
            isComplete = false
            problems.error(error.message, at: pattern.place)
            return []
        }
    }

    /// Returns a folder's name as a pattern that matches only itself.
    private static func escaped(_ folder: String) -> String {
        let escaped = folder.utf8.flatMap { byte in
            "*?[\\".utf8.contains(byte) ? [Byte.backslash, byte] : [byte]
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
