import Foundation
import JSONBytes
import Testing

@testable import GatewayConfig

@Suite("OpenAPI descriptions")
struct OpenAPITests {
    private func description(_ name: String) throws -> JSONFragment {
        try JSONFragment(parsing: OpenAPIText.make(try OutputFixture.document(name)))
    }

    @Test(
        "A description is the document beside the example",
        arguments: ["diary", "profile", "features", "proxies", "access"])
    func golden(name: String) throws {
        let text = OpenAPIText.make(try OutputFixture.document(name))
        #expect(text == (try Fixture.text("Printed/\(name).openapi.json")))
        #expect(text == OpenAPIText.make(try OutputFixture.document(name)))
    }

    @Test("A description shows no value of a variable", arguments: OutputFixture.files)
    func secrecy(name: String) throws {
        let text = OpenAPIText.make(try OutputFixture.document(name))
        for secret in OutputFixture.secrets { #expect(!text.contains(secret), "\(secret)") }
    }

    @Test("Paths that differ only in the names of parameters are one item with the first's names")
    func equalPaths() throws {
        let text = """
            upstreams: {a: {url: http://a}}
            endpoints:
            - {get: "/x/{id}", data: {upstream: a, get: /}}
            - {put: "/x/{key}", path: {key: integer}, data: {upstream: a, get: /}}
            """
        let document = try #require(ConfigReading.read(text: text).document)
        let paths = try #require(JSONFragment(parsing: OpenAPIText.make(document))[member: "paths"])
        #expect(paths.members.map(\.name) == ["/x/{id}"])
        let item = try #require(paths[member: "/x/{id}"])
        #expect(item.members.map(\.name) == ["get", "put"])
        let parameter = item[member: "put"]?[member: "parameters"]?[element: 0]
        #expect(parameter?[member: "name"]?.stringValue == "id")
        #expect(parameter?[member: "schema"]?[member: "type"]?.stringValue == "integer")
    }

    @Test("A path with a variable that is not read keeps its parameters")
    func unreadVariable() throws {
        let text = """
            upstreams: {a: {url: http://a}}
            endpoints:
            - {get: "/${A}/{id}/{key}", path: {key: integer}, data: {upstream: a, get: /}}
            - {proxy: "/${A}/{id}/x/{path...}", upstream: a, methods: [GET, "${M}"]}
            """
        let document = try #require(ConfigReading.read(text: text, mode: .staticCheck).document)
        let paths = try #require(JSONFragment(parsing: OpenAPIText.make(document))[member: "paths"])
        #expect(paths.members.map(\.name) == ["/$%7BA%7D/{id}/{key}", "/$%7BA%7D/{id}/x/{path}"])
        let parameters = paths.members.map { $0.value[member: "get"]?[member: "parameters"]?.elements ?? [] }
        let names = parameters.map { $0.map { $0[member: "name"]?.stringValue } }
        #expect(names == [["id", "key"], ["id", "path"]])
        let types = parameters.map { $0.map { $0[member: "schema"]?[member: "type"]?.stringValue } }
        #expect(types == [["string", "integer"], ["string", "string"]])
        #expect(paths.members[1].value.members.map(\.name) == ["get"])
    }

    @Test("Schemas whose names are no names of components get some of their own")
    func componentNames() throws {
        let text = "schemas: {a b: string, a_b: string, Failure: {$ref: \"#/schemas/a b\"}}\n"
        let document = try #require(
            ConfigReading.read(text: text + "endpoints: [{get: /, data: {value: 1}}]\n").document)
        let components = try JSONFragment(parsing: OpenAPIText.make(document))[member: "components"]
        let schemas = try #require(components?[member: "schemas"])
        #expect(
            schemas.members.map(\.name) == [
                "a_b", "a_b-2", "Failure", "Failure-2", "Problem", "FailedPart", "Meta",
            ])
        let reference = schemas[member: "Failure"]?[member: "$ref"]
        #expect(reference?.stringValue == "#/components/schemas/a_b")
    }

    /// The schema of an answer's data with `envelope: bare`.
    private func data(_ part: String) throws -> JSONFragment {
        let text = """
            upstreams: {a: {url: http://a}}
            schemas:
              Card: {type: object, properties: {name: string}}
              Cards: {type: array, items: {$ref: "#/schemas/Card"}}
              Same: {$ref: "#/schemas/Cards"}
            endpoints:
            - {post: /x, body: {type: array}, answer: {envelope: bare}, data: {upstream: a, get: "/{item}", \(part)}}
            """
        let document = try #require(ConfigReading.read(text: text).document)
        let paths = try JSONFragment(parsing: OpenAPIText.make(document))[member: "paths"]
        let success = paths?[member: "/x"]?[member: "post"]?[member: "responses"]?[member: "200"]
        let content = success?[member: "content"]?[member: "application/json"]
        return try #require(content?[member: "schema"])
    }

    @Test("The schema of a part documents its value", arguments: ["Same", "Cards"])
    func schemaOfAPart(name: String) throws {
        let schema = "schema: {$ref: \"#/schemas/\(name)\"}"
        let whole = try data("forEach: \"{body}\", itemFailure: fail, \(schema)")
        #expect(whole[member: "$ref"]?.stringValue == "#/components/schemas/\(name)")
        // An element that fails is null.
        let items = try #require(try data("forEach: \"{body}\", \(schema)")[member: "items"])
        let kinds = try #require(items[member: "anyOf"]).elements
        #expect(kinds.map { $0[member: "$ref"]?.stringValue } == ["#/components/schemas/Card", nil])
        #expect(kinds.map { $0[member: "type"]?.stringValue } == [nil, "null"])
    }

    @Test("Without a schema only the kind of a value is known")
    func noSchema() throws {
        #expect(try data("forEach: \"{body}\"").members.map(\.name) == ["type"])
        #expect(try data("forEach: \"{body}\"")[member: "type"]?.stringValue == "array")
    }

    @Test(
        "openapi-spec-validator accepts the descriptions",
        .enabled(if: PythonTools.areInstalled, Comment(rawValue: PythonTools.missing)))
    func validator() throws {
        var documents = ["everything": try #require(try Fixture.example("everything").document)]
        for name in ["diary", "profile", "features", "proxies", "access"] {
            documents[name] = try OutputFixture.document(name)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // One run, because Python takes longer to start than to check.
        let files = try documents.map { name, document in
            let file = folder.appending(path: "\(name).json").path
            try OpenAPIText.make(document).write(toFile: file, atomically: true, encoding: .utf8)
            return file
        }
        let (code, output) = try PythonTools.run(["-m", "openapi_spec_validator"] + files)
        #expect(code == 0, "\(output)")
        for file in files { #expect(output.contains("\(file): OK"), "\(output)") }
    }
}
