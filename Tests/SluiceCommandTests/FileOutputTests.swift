import Foundation
import JSONBytes
import TestSupport
import Testing

@Suite("What the commands print about a file", .timeLimit(.minutes(1)))
struct FileOutputTests {
    private let folder = ScratchFolder()

    private func file(_ text: String) throws -> String {
        let path = folder.file("sluice.yaml")
        try "version: 1\nupstreams: {shop: {url: http://127.0.0.1:1}}\n\(text)".write(
            toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private static let endpoint =
        "endpoints:\n- {get: \"/items/{id}\", parts: {item: {upstream: shop, get: /item}}}\n"

    @Test("plan prints the calls, their worst latency and their number")
    func plan() throws {
        let path = try file(Self.endpoint)
        let expected = """
            GET /items/{id}   \(path):4
              item  GET shop /item  1..3 calls  10 s
              worst 10 s (item); 1..3 upstream calls

            """
        for words in [[path], [path, "GET /items/{id}"]] {
            let plan = try SluiceProcess(["plan"] + words).finish()
            #expect(plan.exitCode == 0)
            #expect(plan.output == expected)
            #expect(plan.errors.isEmpty)
        }
        let json = try SluiceProcess.run("plan", "--format", "json", path)
        #expect(json.exitCode == 0)
        let endpoints = try JSONFragment(parsing: json.output)[member: "endpoints"]
        #expect(endpoints?[element: 0]?[member: "worstMs"]?.intValue == 10_000)
    }

    @Test("openapi prints a description of the endpoints")
    func openapi() throws {
        let result = try SluiceProcess.run("openapi", try file(Self.endpoint))
        #expect(result.exitCode == 0)
        let description = try JSONFragment(parsing: result.output)
        #expect(description[member: "openapi"]?.stringValue == "3.1.0")
        #expect(description[member: "paths"]?.members.map(\.name) == ["/items/{id}"])
        #expect(try SluiceProcess.run("openapi").exitCode == 2)
    }

    @Test("plan and openapi have the endpoints whose requests pass through")
    func proxies() throws {
        let path = try file(
            Self.endpoint + "- {proxy: \"/files/{path...}\", upstream: shop, methods: [GET, POST]}\n")
        let plan = try SluiceProcess.run("plan", path, "POST /files/{path...}")
        #expect(plan.exitCode == 0)
        #expect(
            plan.output == """
                GET, POST /files/{path...}   \(path):5
                  GET   shop /{path...}  1..3 calls
                  POST  shop /{path...}  1
                  first byte within 5 s an attempt, 15 s in all (deadline); 1..3 upstream calls

                """)
        let json = try JSONFragment(parsing: try SluiceProcess.run("plan", "--format", "json", path).output)
        let passes = json[member: "endpoints"]?[element: 1]?[member: "passes"]
        #expect(passes?[element: 1]?[member: "methods"]?[element: 0]?.stringValue == "POST")
        let description = try JSONFragment(parsing: try SluiceProcess.run("openapi", path).output)
        let paths = try #require(description[member: "paths"])
        #expect(paths.members.map(\.name) == ["/items/{id}", "/files/{path}"])
        #expect(paths[member: "/files/{path}"]?.members.map(\.name) == ["get", "post"])
        let near = try SluiceProcess.run("plan", path, "GET /file/{path...}")
        #expect(near.exitCode == 2)
        #expect(near.errors.contains("did you mean \"GET /files/{path...}\"?"))
    }

    @Test("Variables and secrets are not read", arguments: ["plan", "openapi"])
    func variables(command: String) throws {
        let path = folder.file("variables.yaml")
        try """
        version: 1
        upstreams: {shop: {url: "${NOT_SET}", headers: {X-Key: "${file:\(folder.file("none"))}"}}}
        \(Self.endpoint)
        """.write(toFile: path, atomically: true, encoding: .utf8)
        let result = try SluiceProcess.run(command, path)
        #expect(result.exitCode == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.contains("/items/{id}"))
    }

    @Test("An unknown endpoint is wrong usage, and a near one is named")
    func unknownEndpoint() throws {
        let plan = try SluiceProcess.run("plan", try file(Self.endpoint), "GET /item/{id}")
        #expect(plan.exitCode == 2)
        #expect(plan.output.isEmpty)
        #expect(
            plan.errors
                == "sluice: there is no endpoint \"GET /item/{id}\"; did you mean \"GET /items/{id}\"?; "
                + "run 'sluice plan --help' to list the flags\n")
    }

    @Test("A plan without a file, with a third argument or an unknown format is wrong usage")
    func usage() throws {
        let path = try file(Self.endpoint)
        for (words, message) in [
            ([], "plan needs a file: sluice plan sluice.yaml"),
            ([path, "GET /", "more"], "unexpected argument 'more'"),
            (["--format", "xml", path], "--format takes text or json, not 'xml'"),
        ] {
            let plan = try SluiceProcess(["plan"] + words).finish()
            #expect(plan.exitCode == 2)
            #expect(plan.errors.hasPrefix("sluice: \(message); run "), "\(plan.errors)")
        }
    }

    @Test("The problems of a wrong file are on standard error", arguments: ["plan", "openapi"])
    func problems(command: String) throws {
        let path = try file("endpoints:\n- {get: /x, parts: {a: {upstream: shp, get: /}}}\n")
        let result = try SluiceProcess.run(command, path)
        #expect(result.exitCode == 1)
        #expect(result.output.isEmpty)
        #expect(
            result.errors
                == "\(path):4:35: error: there is no upstream \"shp\"; did you mean \"shop\"?\n")
    }
}
