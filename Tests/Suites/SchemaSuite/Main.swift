import Foundation
import JSONBytes
import JSONSchema

// Runs the official suite of JSON Schema. `SchemaSuite FOLDER` prints how many tests of a checkout pass, and
// each failure; the program fails if a figure is below what FOLDER of PyPI's jsonschema 4.26.0 must reach.

/// A file of the suite: its cases, each with a schema and tests.
struct SuiteFile {
    let name: String
    let cases: [JSONFragment]

    init(_ path: URL) throws {
        name = path.deletingPathExtension().lastPathComponent
        cases = try JSONFragment(validating: Array(Data(contentsOf: path))[...]).elements
    }
}

struct Suite {
    let folder: URL
    let remotes: [String: String]

    init(_ path: String) throws {
        folder = URL(fileURLWithPath: path)
        let root = folder.appendingPathComponent("remotes").standardizedFileURL
        var remotes: [String: String] = [:]
        for case let file as URL in FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
            ?? .init()
        where file.pathExtension == "json" {
            let name = file.standardizedFileURL.path.dropFirst(root.path.count + 1)
            remotes["http://localhost:1234/\(name)"] = try String(contentsOf: file, encoding: .utf8)
        }
        self.remotes = remotes
    }

    func files(_ name: String, without left: Set<String> = []) throws -> [SuiteFile] {
        let folder = folder.appendingPathComponent("tests/\(name)")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.path < $1.path }
            .map(SuiteFile.init)
            .filter { !left.contains($0.name) }
    }
}

/// How a schema of the suite is given to the library.
enum Form { case inline, reference }

struct Figure {
    let name: String
    var passed = 0
    var all = 0
    var failures: [String] = []

    mutating func run(_ file: SuiteFile, _ suite: Suite, _ form: Form, _ options: SchemaOptions) {
        for test in file.cases {
            guard let text = test[member: "schema"]?.description else { continue }
            let tests = test[member: "tests"]?.elements ?? []
            let title = test[member: "description"]?.stringValue ?? ""
            all += tests.count
            let schema: JSONSchema
            do {
                switch form {
                case .inline:
                    schema = try JSONSchema(json: text, documents: suite.remotes, options: options)
                case .reference:
                    var documents = suite.remotes
                    documents["https://suite.example/case.json"] = text
                    let root = #"{"$ref": "https://suite.example/case.json"}"#
                    schema = try JSONSchema(json: root, documents: documents, options: options)
                }
            } catch {
                failures.append("\(file.name): \(title): \(error)")
                continue
            }
            for test in tests {
                guard let data = test[member: "data"], let isValid = test[member: "valid"]?.boolValue else {
                    continue
                }
                let accepts = schema.accepts(data)
                let faults = schema.explanation(of: data)
                if accepts == isValid, faults.isEmpty == isValid {
                    passed += 1
                } else {
                    let what = test[member: "description"]?.stringValue ?? ""
                    let told = faults.map(\.description).joined(separator: ", ")
                    failures.append(
                        "\(file.name): \(title): \(what): \(accepts ? "accepted" : "refused"), faults: [\(told)]"
                    )
                }
            }
        }
    }
}

@main
struct Main {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: SchemaSuite FOLDER    FOLDER has the folders tests and remotes of the suite")
            print("       SchemaSuite --pairs   judges lines {\"schema\": SCHEMA, \"data\": [VALUE, ...]}")
            exit(2)
        }
        var annotate = SchemaOptions()
        annotate.formats = .annotate
        if CommandLine.arguments[1] == "--pairs" { return Pairs.judge(annotate) }
        let suite = try Suite(CommandLine.arguments[1])
        var draft7 = annotate
        draft7.dialect = .draft7
        let assert = SchemaOptions()

        let figures = try [
            figure("draft 2020-12 by $ref", suite.files("draft2020-12"), suite, .reference, annotate),
            figure("draft 2020-12 inline", suite.files("draft2020-12"), suite, .inline, annotate),
            figure("draft-07", suite.files("draft7"), suite, .inline, draft7),
            // The file `cross-draft` needs draft 2019-09.
            figure(
                "optional", suite.files("draft2020-12/optional", without: ["cross-draft"]), suite, .inline,
                annotate),
            figure(
                "formats", suite.files("draft2020-12/optional/format", without: ["idn-hostname"]), suite,
                .inline, assert),
        ]
        for figure in figures {
            for failure in figure.failures { print("  \(figure.name): \(failure)") }
        }
        for figure in figures { print("\(figure.name): \(figure.passed) of \(figure.all)") }
        let isComplete = figures.dropLast().allSatisfy { $0.passed == $0.all }
        let formats = figures.last.map { Double($0.passed) >= 0.94 * Double($0.all) } ?? false
        exit(isComplete && formats ? 0 : 1)
    }

    static func figure(
        _ name: String, _ files: [SuiteFile], _ suite: Suite, _ form: Form, _ options: SchemaOptions
    ) -> Figure {
        var figure = Figure(name: name)
        for file in files { figure.run(file, suite, form, options) }
        return figure
    }
}
