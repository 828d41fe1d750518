import Foundation
import Testing

/// A case of a data file under `Vectors`. `Vectors/README.md` describes the format.
struct Vector: Sendable, CustomTestStringConvertible {
    let file: String
    let name: String
    /// The lines of the case, and those before the first case that hold for it, by their first word.
    var values: [String: String] = [:]
    var verdict: [String] = []

    var testDescription: String { "\(file): \(name)" }

    static let tokens = read("Tokens")
    static let keySets = read("KeySets")

    private static func read(_ folder: String) -> [Vector] {
        guard let root = Bundle.module.resourceURL?.appendingPathComponent("Vectors/\(folder)"),
            let files = try? FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
        else { fatalError("the folder of vectors \(folder) is missing") }
        return files.flatMap { file in
            guard let text = try? String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
            else { fatalError("the vectors \(file) are not readable") }
            return parse(text, file: file)
        }
    }

    private static func parse(_ text: String, file: String) -> [Vector] {
        var vectors: [Vector] = []
        var common: [String: String] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let rest = words.count > 1 ? words[1] : ""
            switch words[0] {
            case "--": vectors.append(Vector(file: file, name: rest, values: common))
            case "keys", "rules": common[words[0]] = rest
            case "=": vectors[vectors.count - 1].verdict.append(rest)
            default: vectors[vectors.count - 1].values[words[0]] = rest
            }
        }
        return vectors
    }
}
