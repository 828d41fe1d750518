import EndpointPlans
import Foundation
import JSONBytes
import Testing

@testable import GatewayConfig

@Suite("The JSON Schema for editors")
struct SchemaTests {
    private func schema() throws -> JSONFragment { try JSONFragment(parsing: ConfigSchemaText.make()) }

    @Test("It is draft-07, has a description of every member, and is the same each time")
    func descriptions() throws {
        let schema = try schema()
        #expect(schema[member: "$schema"]?.stringValue == "http://json-schema.org/draft-07/schema#")
        #expect(schema[member: "required"]?.elements.map(\.stringValue) == ["version"])
        let definitions = try #require(schema[member: "definitions"]).members
        #expect(definitions.map(\.name).contains("part"))
        for (name, definition) in definitions + [("file", schema)] where name != "variable" {
            let members = try #require(definition[member: "properties"], "\(name)").members
            #expect(!members.isEmpty, "\(name)")
            for (member, value) in members {
                #expect(
                    value[member: "description"]?.stringValue?.hasSuffix(".") == true, "\(name).\(member)")
            }
        }
        #expect(ConfigSchemaText.make() == ConfigSchemaText.make())
    }

    @Test("Every reference has a definition, and every definition but one for other files is used")
    func references() throws {
        let text = ConfigSchemaText.make()
        let used = Set(text.matches(of: /"#\/definitions\/(\w+)"/).map { String($0.1) })
        let defined = Set(try #require(schema()[member: "definitions"]).members.map(\.name))
        #expect(used.subtracting(defined).isEmpty)
        #expect(defined.subtracting(used) == ["includedFile"])
    }

    @Test("The schema for included files takes no version, and defines only what they have")
    func included() throws {
        let text = ConfigSchemaText.make(isIncluded: true)
        let schema = try JSONFragment(parsing: text)
        #expect(schema[member: "required"] == nil)
        #expect(schema[member: "properties"]?.members.map(\.name) == ["schemas", "upstreams", "endpoints"])
        let used = Set(text.matches(of: /"#\/definitions\/(\w+)"/).map { String($0.1) })
        #expect(used == Set(try #require(schema[member: "definitions"]).members.map(\.name)))
    }

    @Test("A default that the schema names is a value that the member takes")
    func defaults() throws {
        var count = 0
        for shape in ConfigSchemaText.shapes {
            for member in shape.members {
                guard let fallback = member.fallback, !fallback.hasPrefix("[") else { continue }
                let problems = ProblemList()
                let node = YAMLNode(.scalar(YAMLScalar(text: fallback, style: .plain)), at: .start(of: 0))
                #expect(
                    member.takes(node, ConfigReader(problems: problems)),
                    "\(shape.title): \(member.name): \(fallback)")
                count += 1
            }
        }
        #expect(count > 40)
    }

    // MARK: check-jsonschema

    private func validate(_ files: [String: String], isIncluded: Bool = false) throws -> [String: String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let schema = folder.appending(path: "schema.json").path
        try ConfigSchemaText.make(isIncluded: isIncluded).write(
            toFile: schema, atomically: true, encoding: .utf8)
        for (name, text) in files {
            try text.write(toFile: folder.appending(path: name).path, atomically: true, encoding: .utf8)
        }
        let (code, output) = try PythonTools.run(
            ["-m", "check_jsonschema", "--output-format", "json", "--schemafile", schema]
                + files.keys.sorted().map { folder.appending(path: $0).path })
        let report = try JSONFragment(parsing: output)
        #expect(code == 0 || report[member: "status"]?.stringValue == "fail", "\(output)")
        var errors: [String: String] = [:]
        for error in report[member: "errors"]?.elements ?? [] {
            let file = error[member: "filename"]?.stringValue ?? ""
            errors[String(file.split(separator: "/").last ?? ""), default: ""] += error.description
        }
        return errors
    }

    @Test(
        "check-jsonschema accepts the schema itself",
        .enabled(if: PythonTools.areInstalled, Comment(rawValue: PythonTools.missing)))
    func metaschema() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString).json")
            .path
        try ConfigSchemaText.make().write(toFile: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let (code, output) = try PythonTools.run(["-m", "check_jsonschema", "--check-metaschema", file])
        #expect(code == 0, "\(output)")
    }

    @Test(
        "check-jsonschema accepts the examples and files with all members, and refuses broken ones",
        .enabled(if: PythonTools.areInstalled, Comment(rawValue: PythonTools.missing)))
    func files() throws {
        var files: [String: String] = [:]
        for name in ["diary", "profile", "everything"] {
            files["\(name).yaml"] = try Fixture.text("Examples/\(name).yaml")
        }
        let broken = ["typo", "wrong-type", "units", "settings", "resilience", "answers"]
        for name in broken { files["\(name).yaml"] = try Fixture.text("Complaints/\(name).yaml") }
        let errors = try validate(files)
        #expect(Set(errors.keys) == Set(broken.map { "\($0).yaml" }), "\(errors)")
    }

    @Test(
        "check-jsonschema accepts an included file, and refuses a root file in its place",
        .enabled(if: PythonTools.areInstalled, Comment(rawValue: PythonTools.missing)))
    func includedFiles() throws {
        let errors = try validate(
            [
                "good.yaml": "schemas: {Card: string}\nupstreams: {api: {url: \"http://api\"}}\n",
                "root.yaml": "version: 1\n",
            ], isIncluded: true)
        #expect(Set(errors.keys) == ["root.yaml"], "\(errors)")
    }

    @Test("The file with all members has each member of the tables, and no problem")
    func everything() throws {
        let text = try Fixture.text("Examples/everything.yaml")
        let reading = try Fixture.example("everything")
        #expect(reading.lines.filter { $0.contains("error") } == [])
        let words = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "$") }.map(String.init))
        for shape in ConfigSchemaText.shapes {
            for member in shape.members {
                #expect(words.contains(member.name), "\(shape.title): \(member.name)")
            }
        }
    }
}
